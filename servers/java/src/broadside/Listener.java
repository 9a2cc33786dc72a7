// The listening socket, the ready line, and the end. On SIGTERM the JVM would end with status
// 143; a hook halts it with 0 first.

package broadside;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

final class Listener {
    private Listener() {}

    /** Opens the listener, or ends this process with status 1. */
    static ServerSocketChannel open(String name, Options options) {
        try {
            InetAddress host = InetAddress.getByName(options.host);
            // Not the default, which is an IPv6 socket even for an IPv4 address.
            ServerSocketChannel listener =
                    ServerSocketChannel.open(
                            host instanceof Inet4Address
                                    ? StandardProtocolFamily.INET
                                    : StandardProtocolFamily.INET6);
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            return listener.bind(new InetSocketAddress(host, options.port), options.backlog);
        } catch (IOException | UnsupportedOperationException error) {
            String why =
                    error instanceof UnknownHostException ? "no such host" : error.getMessage();
            String where = options.host + " port " + options.port;
            System.err.println(name + ": cannot listen on " + where + ": " + why);
            System.exit(1);
            throw new IllegalStateException("unreachable");
        }
    }

    /** Prints the ready line; from here on SIGTERM and SIGINT end the process with status 0. */
    static void sayReady(Options options, ServerSocketChannel listener) throws IOException {
        Runtime.getRuntime().addShutdownHook(new Halt());
        // The JVM needs a descriptor at the first close of a socket, and later there may be
        // none.
        SocketChannel.open().close();
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        String words = "{'ready':true,'protocol':'%s','host':'%s','port':%d,'pids':[%d]}\n";
        long pid = ProcessHandle.current().pid();
        String line = words.replace('\'', '"').formatted(options.protocol, options.host, port, pid);
        new FileOutputStream(FileDescriptor.out).write(line.getBytes(StandardCharsets.UTF_8));
    }

    private static final class Halt extends Thread {
        @Override
        public void run() {
            Runtime.getRuntime().halt(0);
        }
    }
}
