// java-threads: a platform thread for each connection, blocking calls. The one thing to know: a
// thread is a thread of the kernel, so there are only so many; Ceiling says how many, and the rest
// waits in the backlog.

package broadside;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.util.function.LongConsumer;

final class JavaThreads {
    private static final String NAME = "java-threads";
    private static final String SUMMARY = "A platform thread per connection, blocking calls.";

    private JavaThreads() {}

    public static void main(String[] words) throws IOException {
        Options options = Options.read(NAME, SUMMARY, Options.Own.MAX_CHILDREN, words);
        ServerSocketChannel listener = Listener.open(NAME, options);
        boolean spins = options.work != null && options.work.kind == Work.Kind.SPIN;
        // A thread of one's own sleeps, be it wait or block.
        LongConsumer pass = spins ? Work::spin : Work::sleep;
        int most = options.own > 0 ? options.own : Ceiling.threads();
        Acceptor.Starter starter = connection -> new Thread(connection).start();
        Acceptor acceptor = new Acceptor(NAME, options, pass, starter, most);
        Listener.sayReady(options, listener);
        acceptor.run(listener);
    }
}
