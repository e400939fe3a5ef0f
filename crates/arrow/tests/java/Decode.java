import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Reads byte strings, each after its length in four bytes, and writes what new String(bytes, UTF_8) makes of each. */
class Decode {
    public static void main(String[] arguments) throws IOException {
        var in = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
        var out = new DataOutputStream(new BufferedOutputStream(System.out, 1 << 16));
        while (true) {
            int length;
            try {
                length = in.readInt();
            } catch (EOFException end) {
                break;
            }
            var text = new String(in.readNBytes(length), StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
            out.writeInt(text.length);
            out.write(text);
        }
        out.flush();
    }
}
