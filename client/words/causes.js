// The causes of rejects and errors, as people read them. Pure.

/** The one cause whose word says too little: it is the client's own limit. */
const LOCAL = 'local';

/** @param {string} cause of a reject or an error @returns {string} */
export const causeName = (cause) => (cause === LOCAL ? 'client limit (ports, descriptors, memory)' : cause);

/** @param {string} cause @returns {string} for a narrow column */
export const shortCauseName = (cause) => (cause === LOCAL ? 'client limit' : cause);

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
