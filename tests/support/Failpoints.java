package io.kafkalyst.support;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.ClassVisitor;
import org.apache.xbean.asm9.ClassWriter;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;

/**
 * A Java agent that ends or stops its process at a named point of a write: the classes get the points as they are loaded,
 * so what is tested is the jar that is shipped.
 *
 * <p>Its argument is {@code point;mode;hits;file}: at which visit of the point, and which file then tells of it. With the
 * mode {@code kill} the process is gone as by kill -9; with {@code stop} it sleeps until it gets SIGCONT.
 */
public final class Failpoints {
    private static final String PRODUCER = "/KafkaProducer";
    private static final String WRITE = "io/kafkalyst/write/";
    private static final String BATCHES = "/MicroBatchExecution";

    /** The classes that call something, what they call, and whether the point is before the call or after it. */
    private record Place(String caller, String owner, String method, boolean isBefore) {}

    private static final Map<String, Place> PLACES = Map.ofEntries(
            Map.entry("before-begin", new Place(WRITE, PRODUCER, "beginTransaction", true)),
            Map.entry("after-begin", new Place(WRITE, PRODUCER, "beginTransaction", false)),
            Map.entry("before-flush", new Place(WRITE, PRODUCER, "flush", true)),
            Map.entry("after-flush", new Place(WRITE, PRODUCER, "flush", false)),
            Map.entry("before-offsets", new Place(WRITE, PRODUCER, "sendOffsetsToTransaction", true)),
            Map.entry("after-offsets", new Place(WRITE, PRODUCER, "sendOffsetsToTransaction", false)),
            Map.entry("before-commit", new Place(WRITE, PRODUCER, "commitTransaction", true)),
            Map.entry("commit-unanswered", new Place("/TransactionManager$EndTxnHandler", "", "handleResponse", true)),
            Map.entry("after-commit", new Place(WRITE, PRODUCER, "commitTransaction", false)),
            Map.entry("after-offset-log", new Place(BATCHES, "/OffsetSeqLog", "add", false)),
            Map.entry("before-commit-log", new Place(BATCHES, "/CommitLog", "add", true)),
            Map.entry("after-commit-log", new Place(BATCHES, "/CommitLog", "add", false)));

    /** Those that not every write passes. */
    private static final Map<String, Place> STATEMENTS = Map.of(
            "entry", new Place("io/kafkalyst/catalog/SessionObjects", "", "create", true),
            "status", new Place("io/kafkalyst/read/AtomicFile", "java/nio/file/Files", "move", true));

    private static AtomicInteger left;
    private static boolean kills;
    private static Path file;

    private Failpoints() {}

    /** Called by the JVM before its program. */
    public static void premain(String argument, Instrumentation instrumentation) {
        String[] parts = argument.split(";");
        Place place = PLACES.getOrDefault(parts[0], STATEMENTS.get(parts[0]));
        if (place == null) throw new IllegalArgumentException(parts[0] + " is not a point");
        kills = parts[1].equals("kill");
        left = new AtomicInteger(Integer.parseInt(parts[2]));
        file = Path.of(parts[3]);
        instrumentation.addTransformer(new Marking(place));
    }

    /** Where the process is at the point. */
    public static void hit() throws IOException, InterruptedException {
        if (left.decrementAndGet() != 0) return;
        Files.createFile(file);
        if (kills) Runtime.getRuntime().halt(137);
        else new ProcessBuilder("kill", "-STOP", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
    }

    private record Marking(Place place) implements ClassFileTransformer {
        @Override
        public byte[] transform(
                ClassLoader loader, String name, Class<?> before, ProtectionDomain domain, byte[] bytes) {
            boolean isCaller = name != null && (name.startsWith(place.caller) || name.endsWith(place.caller));
            if (!isCaller) return null;
            ClassReader reader = new ClassReader(bytes);
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            reader.accept(new Marker(writer, place), 0);
            return writer.toByteArray();
        }
    }

    private static final class Marker extends ClassVisitor {
        private final Place place;

        Marker(ClassVisitor next, Place place) {
            super(Opcodes.ASM9, next);
            this.place = place;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String type, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, method, type, signature, exceptions);
            boolean isEntry = place.owner.isEmpty() && method.equals(place.method);
            return new MethodVisitor(Opcodes.ASM9, next) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    if (isEntry) mark();
                }

                @Override
                public void visitMethodInsn(int opcode, String owner, String called, String type, boolean isInterface) {
                    boolean isPlace = !place.owner.isEmpty() && owner.endsWith(place.owner) && called.equals(place.method);
                    if (isPlace && place.isBefore) mark();
                    super.visitMethodInsn(opcode, owner, called, type, isInterface);
                    if (isPlace && !place.isBefore) mark();
                }

                private void mark() {
                    super.visitMethodInsn(
                            Opcodes.INVOKESTATIC, Failpoints.class.getName().replace('.', '/'), "hit", "()V", false);
                }
            };
        }
    }
}
