// A protocol: answers the input of one connection in place, in the buffer it was read into. So
// one buffer suffices for request and reply and, where one thread serves all connections, for
// all of them.

package broadside;

import java.nio.ByteBuffer;
import java.util.List;

abstract class Codec {
    static final List<String> NAMES = List.of("echo", "volley");

    /** One for a connection. */
    static Codec of(Options options) {
        return options.protocol.equals("volley") ? new Volley(options.volleyStop) : Echo.INSTANCE;
    }

    /** Empties the buffer for the next read, but for what the last one left of a request. */
    abstract void prepare(ByteBuffer buffer);

    /**
     * Turns what has been read into the reply: from the position to the limit of the buffer.
     *
     * @return how many requests these bytes have completed
     */
    abstract int answer(ByteBuffer buffer);

    /** Whether the client has asked for the end of the server, after this reply. */
    boolean stops() {
        return false;
    }
}
