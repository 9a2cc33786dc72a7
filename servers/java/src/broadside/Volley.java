// volley: big-endian words of 4 bytes; the reply to n is n + 1 modulo 2^32. Up to 3 bytes of an
// incomplete word are kept between two reads.

package broadside;

import java.nio.ByteBuffer;

final class Volley extends Codec {
    private static final int WORD = Integer.BYTES;

    private final boolean mayStop;
    private boolean stops;
    private int begun;
    private int begunBytes;

    Volley(boolean mayStop) {
        this.mayStop = mayStop;
    }

    @Override
    void prepare(ByteBuffer buffer) {
        buffer.clear();
        for (int i = begunBytes - 1; i >= 0; i--) {
            buffer.put((byte) (begun >>> (8 * i)));
        }
    }

    @Override
    int answer(ByteBuffer buffer) {
        int end = buffer.position() / WORD * WORD;
        begun = 0;
        begunBytes = buffer.position() - end;
        for (int at = end; at < buffer.position(); at++) {
            begun = begun << 8 | buffer.get(at) & 0xff;
        }
        for (int at = 0; at < end; at += WORD) {
            int word = buffer.getInt(at);
            if (word == 0 && mayStop) {
                stops = true;
                end = at;
                break;
            }
            buffer.putInt(at, word + 1);
        }
        buffer.position(0).limit(end);
        return end / WORD;
    }

    @Override
    boolean stops() {
        return stops;
    }
}
