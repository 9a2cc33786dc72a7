// The causes of rejects and errors, as people read them. Pure.

/** @param {string} cause of a reject or an error @returns {string} its word, or more where that says too little */
export const causeName = (cause) => (cause === 'local' ? 'client limit (ports, descriptors, memory)' : cause);

/** What each cause of a reject means. @type {Readonly<Record<string, string>>} */
export const REJECT_MEANINGS = Object.freeze({
  refused: 'nothing listened on the port',
  reset: 'the server, or something in between, reset the connection while it was being opened',
  timeout: 'no answer in time',
  unreachable: 'no route to the server’s address',
  local: 'the client had no port, descriptor or memory left',
  handshake: 'the TLS handshake failed',
  greeting: 'the server accepted the connection, but did not greet as the protocol requires',
  other: 'another error of the operating system',
});
