package io.kafkalyst.support;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumFs;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FsConstants;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local files without its processes: where its native library is missing, it starts a chmod or a readlink for
 * each file, ten and more in each micro-batch of a checkpoint. Renaming, and so what is atomic, stays Hadoop's.
 */
public final class UnforkedFs extends ChecksumFs {

  /** As Hadoop makes file systems of `fs.AbstractFileSystem.file.impl`. */
  public UnforkedFs(URI uri, Configuration conf) throws Exception {
    super(new Raw(conf));
  }

  /** The same for `fs.file.impl`. */
  public static final class Local extends LocalFileSystem {
    public Local() {
      super(new Unforked());
    }
  }

  private static final class Raw extends DelegateToFileSystem {
    Raw(Configuration conf) throws Exception {
      super(FsConstants.LOCAL_FS_URI, new Unforked(), conf, FsConstants.LOCAL_FS_URI.getScheme(), false);
    }

    /** The system itself says which are not. */
    @Override
    public boolean isValidName(String name) {
      return true;
    }
  }

  private static final class Unforked extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      FsPermission plain = new FsPermission((short) (permission.toShort() & 0777)); // without the sticky bit
      Files.setPosixFilePermissions(pathToFile(path).toPath(), PosixFilePermissions.fromString(plain.toString()));
    }

    /** Nothing in a checkpoint is a link. */
    @Override
    public FileStatus getFileLinkStatus(Path path) throws IOException {
      return getFileStatus(path);
    }
  }
}
