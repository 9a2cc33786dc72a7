// echo: every byte is sent back. There are no frames, so the bytes of one read count as one
// request.

package broadside;

import java.nio.ByteBuffer;

final class Echo extends Codec {
    static final Echo INSTANCE = new Echo();

    @Override
    void prepare(ByteBuffer buffer) {
        buffer.clear();
    }

    @Override
    int answer(ByteBuffer buffer) {
        buffer.flip();
        return 1;
    }
}
