// A protocol: answers the input of one connection in place, in the buffer it was read into. So
// one buffer suffices for request and reply and, where one thread serves all connections, for
// all of them.

package broadside;

import java.nio.ByteBuffer;
import java.util.List;

abstract class Codec {
    static final List<String> NAMES = List.of("echo", "volley");

    /** A codec for one connection. */
    static Codec of(Options options) {
        return options.protocol.equals("volley") ? new Volley(options.volleyStop) : Echo.INSTANCE;
    }

    /** Prepares the buffer for the next read; keeps the bytes of an incomplete request. */
    abstract void prepare(ByteBuffer buffer);

    /**
     * Turns the bytes read into the reply, from the position to the limit of the buffer.
     *
     * @return how many requests these bytes have completed
     */
    abstract int answer(ByteBuffer buffer);

    /** Whether the server must end after this reply, because a client has sent a word of zero. */
    boolean stops() {
        return false;
    }
}
