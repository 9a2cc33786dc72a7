// java-threads: a platform thread per connection, blocking calls. Each is a kernel thread, so
// their number is limited by Ceiling; further connections wait in the accept queue.

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
        // A thread with one connection sleeps for both wait and block.
        LongConsumer pass = spins ? Work::spin : Work::sleep;
        int most = options.own > 0 ? options.own : Ceiling.threads();
        Acceptor.Starter starter = connection -> new Thread(connection).start();
        Acceptor acceptor = new Acceptor(NAME, options, pass, starter, most);
        Listener.sayReady(options, listener);
        acceptor.run(listener);
    }
}
