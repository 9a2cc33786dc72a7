// java-virtual: a virtual thread per connection, blocking calls. It is compiled for Java 17
// like the others, so the API of Java 21 is called by reflection; on an older Java it reports
// that and ends.

package broadside;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.function.LongConsumer;

final class JavaVirtual {
    private static final String NAME = "java-virtual";
    private static final String SUMMARY = "A virtual thread per connection, blocking calls.";

    private JavaVirtual() {}

    public static void main(String[] words) throws Throwable {
        Options options = Options.read(NAME, SUMMARY, Options.Own.THREADS, words);
        MethodHandle start = startVirtualThread();
        setCarriers(options.own > 0 ? options.own : Runtime.getRuntime().availableProcessors());
        ServerSocketChannel listener = Listener.open(NAME, options);
        rehearse(start);
        Acceptor.Starter starter = task -> start.invoke(task);
        Acceptor acceptor =
                new Acceptor(NAME, options, passing(options), starter, Integer.MAX_VALUE);
        Listener.sayReady(options, listener);
        acceptor.run(listener);
    }

    /** Sets the number of carriers, also while one blocks; read at the first virtual thread. */
    private static void setCarriers(int count) {
        for (String which : new String[] {"parallelism", "maxPoolSize"}) {
            System.setProperty("jdk.virtualThreadScheduler." + which, String.valueOf(count));
        }
    }

    private static LongConsumer passing(Options options) {
        if (options.work == null) {
            return ns -> {};
        }
        return switch (options.work.kind) {
            case WAIT -> Work::sleep;
            case BLOCK -> Carrier.sleeping(NAME);
            case SPIN -> Carrier::spin;
        };
    }

    private static MethodHandle startVirtualThread() {
        try {
            MethodType type = MethodType.methodType(Thread.class, Runnable.class);
            return MethodHandles.publicLookup()
                    .findStatic(Thread.class, "startVirtualThread", type);
        } catch (ReflectiveOperationException older) {
            String version = System.getProperty("java.version");
            String remedy = "install a Java 21 runtime and put its java first in the PATH";
            System.err.println(
                    NAME
                            + ": virtual threads need Java 21, and this is "
                            + version
                            + ": "
                            + remedy);
            System.exit(1);
            throw new IllegalStateException("unreachable");
        }
    }

    /**
     * Lets a virtual thread wait for a client of this process: the JVM opens descriptors when one
     * first waits, and if none were free then, no client would ever be served.
     */
    private static void rehearse(MethodHandle start) throws Throwable {
        InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (ServerSocketChannel own = ServerSocketChannel.open().bind(anywhere);
                SocketChannel client = SocketChannel.open(own.getLocalAddress());
                SocketChannel served = own.accept()) {
            Runnable wait =
                    () -> {
                        try {
                            served.read(ByteBuffer.allocate(1));
                        } catch (IOException impossible) {
                            throw new IllegalStateException(impossible);
                        }
                    };
            Thread waiting = (Thread) start.invoke(wait);
            while (waiting.isAlive() && waiting.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            client.shutdownOutput();
            waiting.join();
        }
    }
}
