// One connection of echo, volley or ace. Nothing is read while work or a write is pending, so a client that never
// reads costs one reply and one chunk that Node has read ahead.

/**
 * @param {import('node:net').Socket} socket half-open sockets allowed
 * @param {import('./protocols/index.js').Codec} codec
 * @param {import('./work.js').Perform | null} perform
 */
export function serveConnection(socket, codec, perform) {
  let working = false;
  let ended = false;
  const gone = () => socket.destroyed;
  const goOn = () => void socket.resume();

  /** @param {import('./protocols/index.js').Answer} answer */
  const send = ({ reply, then }) => {
    if (reply.length > 0) socket.write(reply);
    if (then === 'stop') process.exit(0);
    if (then === 'close') {
      socket.destroySoon();
    } else if (ended) {
      socket.end();
    } else if (socket.writableLength > 0) {
      socket.pause().once('drain', goOn);
    } else if (socket.isPaused()) {
      goOn();
    }
  };

  socket.on('data', (bytes) => {
    const answer = codec(bytes);
    if (perform === null || answer.requests === 0) return send(answer);
    working = true;
    socket.pause();
    perform(answer.requests, gone, () => {
      working = false;
      send(answer);
    });
  });
  socket.on('end', () => {
    ended = true;
    if (!working) socket.end();
  });
  socket.on('error', () => {}); // the socket closes itself; other connections are not affected
}
