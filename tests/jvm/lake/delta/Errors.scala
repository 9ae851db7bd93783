package io.kafkalyst.lake.delta

/** Errors with the names that those of Delta have. */
final class ConcurrentAppendException extends RuntimeException
final class MetadataChangedException extends RuntimeException
final class BrokenException extends RuntimeException
