// The accept loop of the models with a thread per connection, platform or virtual. Without free
// descriptors or threads it waits until a connection ends (or a second passes) and tries again;
// further connections wait in the accept queue.

package broadside;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

final class Acceptor {
    private static final long PATIENCE_NS = 1_000_000_000L;

    private final String name;
    private final Options options;
    private final LongConsumer pass;
    private final Starter starter;
    private final int most;
    private final AtomicInteger served = new AtomicInteger();
    private final Thread thread = Thread.currentThread();
    private boolean hasSaid;

    /** Starts a thread that runs it. */
    interface Starter {
        void start(Runnable connection) throws Throwable;
    }

    /**
     * @param pass how time passes for a request
     * @param most connections served at once
     */
    Acceptor(String name, Options options, LongConsumer pass, Starter starter, int most) {
        this.name = name;
        this.options = options;
        this.pass = pass;
        this.starter = starter;
        this.most = most;
    }

    /** Accepts connections forever, on the thread that created this object. */
    void run(ServerSocketChannel listener) {
        for (; ; ) {
            while (served.get() >= most) {
                waitForRoom("maximum of threads (--max-children) reached");
            }
            SocketChannel channel = accept(listener);
            if (channel != null) {
                start(new Connection(channel, options, pass, this::left));
            }
        }
    }

    private SocketChannel accept(ServerSocketChannel listener) {
        try {
            SocketChannel channel = listener.accept();
            try {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                return channel;
            } catch (IOException gone) {
                channel.close();
            }
        } catch (IOException full) {
            waitForRoom("accept: " + full.getMessage());
        }
        return null;
    }

    private void start(Connection connection) {
        served.incrementAndGet();
        for (; ; ) {
            try {
                starter.start(connection);
                return;
            } catch (Throwable error) {
                waitForRoom("cannot start a thread: " + error.getMessage());
            }
        }
    }

    private void left() {
        served.decrementAndGet();
        LockSupport.unpark(
                thread); // grants a permit if it does not wait: then the next wait returns early
    }

    private void waitForRoom(String why) {
        if (!hasSaid) {
            hasSaid = true;
            System.err.println(
                    name + ": " + why + ": further connections wait in the accept queue");
        }
        LockSupport.parkNanos(PATIENCE_NS);
    }
}
