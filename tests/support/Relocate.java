import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.ClassWriter;
import org.apache.xbean.asm9.commons.ClassRemapper;
import org.apache.xbean.asm9.commons.Remapper;

/** Moves Kafka's classes in a copy of each jar below the package kafkashaded, as a shading build does. */
public class Relocate {
    private static final Remapper MOVED = new Remapper() {
        @Override
        public String map(String name) {
            return name.startsWith("org/apache/kafka/") ? "kafkashaded/" + name : name;
        }

        @Override
        public Object mapValue(Object value) {
            boolean named = value instanceof String text && text.startsWith("org.apache.kafka.");
            return named ? "kafkashaded." + value : super.mapValue(value);
        }
    };

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        for (int i = 1; i < arguments.length; i++) {
            Path jar = Path.of(arguments[i]);
            relocate(jar, folder.resolve("relocated-" + jar.getFileName()));
        }
    }

    private static void relocate(Path from, Path to) throws Exception {
        try (JarFile jar = new JarFile(from.toFile()); OutputStream file = Files.newOutputStream(to);
                JarOutputStream out = new JarOutputStream(file)) {
            var names = new TreeMap<String, JarEntry>();
            jar.stream().filter(entry -> !entry.isDirectory()).forEach(entry -> names.put(entry.getName(), entry));
            for (JarEntry entry : names.values()) {
                String name = entry.getName();
                if (name.startsWith("META-INF/") && !name.startsWith("META-INF/services/")) continue;
                byte[] bytes;
                try (InputStream in = jar.getInputStream(entry)) {
                    bytes = in.readAllBytes();
                }
                boolean isClass = name.endsWith(".class");
                out.putNextEntry(new JarEntry(MOVED.map(name)));
                out.write(isClass ? moved(bytes) : bytes);
                out.closeEntry();
            }
        }
    }

    private static byte[] moved(byte[] bytes) {
        ClassWriter writer = new ClassWriter(0);
        new ClassReader(bytes).accept(new ClassRemapper(writer, MOVED), 0);
        return writer.toByteArray();
    }
}
