// One connection with its own thread, platform or virtual: read, work, write, each of them
// blocking. Nothing is read while a reply is pending, so a client that never reads costs this
// buffer.

package broadside;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;

final class Connection implements Runnable {
    private static final int BUFFER_BYTES = 8 * 1024;

    private final SocketChannel channel;
    private final Codec codec;
    private final Work work;
    private final SplittableRandom random;
    private final LongConsumer pass;
    private final Runnable left;

    /**
     * @param pass lets this many nanoseconds pass, in the way of the kind of work
     * @param left is run once the connection has been closed
     */
    Connection(SocketChannel channel, Options options, LongConsumer pass, Runnable left) {
        this.channel = channel;
        this.codec = Codec.of(options);
        this.work = options.work;
        this.random = work == null ? null : work.nextConnection();
        this.pass = pass;
        this.left = left;
    }

    @Override
    public void run() {
        try (channel) {
            ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
            while (serve(buffer)) {
                // until the client has closed
            }
        } catch (IOException gone) {
            // the client has reset it
        } finally {
            left.run();
        }
    }

    private boolean serve(ByteBuffer buffer) throws IOException {
        codec.prepare(buffer);
        if (channel.read(buffer) < 0) {
            return false;
        }
        int requests = codec.answer(buffer);
        if (work != null && requests > 0) {
            pass.accept(work.drawNs(random, requests));
        }
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        if (codec.stops()) {
            Runtime.getRuntime().halt(0);
        }
        return true;
    }
}
