// java-nio: one thread, one Selector; work of kind wait is a queue of timers in the loop. An
// idle connection owns no buffer: all connections are read into the same one.

package broadside;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

final class JavaNio {
    private static final String NAME = "java-nio";
    private static final int BUFFER_BYTES = 32 * 1024;
    private static final long PATIENCE_NS = 1_000_000_000L;
    private static final long MS = 1_000_000L;

    private final Options options;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final SelectionKey accepting;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final PriorityQueue<Open> waiting =
            new PriorityQueue<>(Comparator.comparingLong(Open::dueNs));
    private boolean isFull;
    private boolean hasSaid;
    private long retryNs;

    /** A connection. */
    private static final class Open {
        final SocketChannel channel;
        final Codec codec;
        final SplittableRandom random;
        SelectionKey key;

        /** A reply that waits for its time or for the client to read; then nothing is read. */
        ByteBuffer pending;

        private long dueNs;

        Open(SocketChannel channel, Options options) {
            this.channel = channel;
            this.codec = Codec.of(options);
            this.random = options.work == null ? null : options.work.nextConnection();
        }

        long dueNs() {
            return dueNs;
        }
    }

    private JavaNio(Options options, ServerSocketChannel listener) throws IOException {
        this.options = options;
        this.listener = listener;
        selector = Selector.open();
        listener.configureBlocking(false);
        accepting = listener.register(selector, SelectionKey.OP_ACCEPT);
    }

    public static void main(String[] words) throws IOException {
        Options options = Options.read(NAME, "One thread, one Selector.", Options.Own.NONE, words);
        JavaNio server = new JavaNio(options, Listener.open(NAME, options));
        Listener.sayReady(options, server.listener);
        for (; ; ) {
            server.turn();
        }
    }

    private void turn() throws IOException {
        long now = System.nanoTime();
        if (isFull && now - retryNs >= 0) {
            acceptAgain();
        }
        for (Open first; (first = waiting.peek()) != null && first.dueNs - now <= 0; ) {
            waiting.poll();
            write(first, first.pending);
        }
        selector.select(this::onReady, timeoutMs(now));
    }

    /** Milliseconds until the next reply is due, rounded up; 0: none is. */
    private long timeoutMs(long now) {
        long left = Long.MAX_VALUE;
        if (isFull) {
            left = retryNs - now;
        }
        if (!waiting.isEmpty()) {
            left = Math.min(left, waiting.peek().dueNs - now);
        }
        return left == Long.MAX_VALUE ? 0 : Math.max(1, (left + MS - 1) / MS);
    }

    private void onReady(SelectionKey key) {
        if (key == accepting) {
            accept();
            return;
        }
        Open open = (Open) key.attachment();
        if (key.isReadable()) {
            read(open);
        } else {
            write(open, open.pending);
        }
    }

    private void accept() {
        try {
            for (SocketChannel channel; (channel = listener.accept()) != null; ) {
                register(channel);
            }
        } catch (IOException full) {
            if (!hasSaid) {
                hasSaid = true;
                String why = full.getMessage() + ": further connections wait in the accept queue";
                System.err.println(NAME + ": accept: " + why);
            }
            isFull = true;
            retryNs = System.nanoTime() + PATIENCE_NS;
            accepting.interestOps(0); // otherwise the Selector would return immediately
        }
    }

    private void register(SocketChannel channel) throws IOException {
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Open open = new Open(channel, options);
            open.key = channel.register(selector, SelectionKey.OP_READ, open);
        } catch (IOException gone) {
            channel.close();
        }
    }

    private void acceptAgain() {
        isFull = false;
        accepting.interestOps(SelectionKey.OP_ACCEPT);
    }

    private void read(Open open) {
        open.codec.prepare(buffer);
        try {
            if (open.channel.read(buffer) < 0) {
                close(open); // all replies are written, otherwise nothing would be read
                return;
            }
        } catch (IOException gone) {
            close(open);
            return;
        }
        int requests = open.codec.answer(buffer);
        if (options.work != null && requests > 0) {
            long ns = options.work.drawNs(open.random, requests);
            if (options.work.kind == Work.Kind.WAIT) {
                keep(open, 0);
                open.dueNs = System.nanoTime() + ns;
                waiting.add(open);
                return;
            }
            if (options.work.kind == Work.Kind.SPIN) {
                Work.spin(ns);
            } else {
                Work.sleep(ns);
            }
        }
        write(open, buffer);
    }

    /** Keeps the rest of the shared buffer, and stops reading until it has been written. */
    private void keep(Open open, int awaited) {
        open.pending = ByteBuffer.allocate(buffer.remaining()).put(buffer).flip();
        open.key.interestOps(awaited);
    }

    private void write(Open open, ByteBuffer reply) {
        try {
            if (reply.hasRemaining()) {
                open.channel.write(reply);
            }
        } catch (IOException gone) {
            close(open);
            return;
        }
        if (open.codec.stops()) {
            Runtime.getRuntime().halt(0);
        }
        if (reply.hasRemaining()) {
            if (reply == buffer) {
                keep(open, SelectionKey.OP_WRITE);
            } else {
                open.key.interestOps(SelectionKey.OP_WRITE);
            }
        } else if (open.pending != null) {
            open.pending = null;
            open.key.interestOps(SelectionKey.OP_READ);
        }
    }

    private void close(Open open) {
        open.pending = null;
        try {
            open.channel.close();
        } catch (IOException gone) {
            // closed in any case
        }
        if (isFull) {
            acceptAgain();
        }
    }
}
