// By what a protocol is recognised in the reply to a request of another one. Pure.

/** Beginnings of replies that only one protocol has. @type {[RegExp, string][]} */
const SIGNS = [
  [/^HTTP\/1\./, 'http'],
  [/^(-ERR|-NOAUTH|-DENIED|-WRONGPASS)\b/, 'redis'],
  [/^(ERROR|CLIENT_ERROR .*|SERVER_ERROR .*)\r\n/, 'memcached'],
  [/^INFO \{/, 'nats'],
];

/** @param {Buffer} received the first bytes of a reply @returns {string | undefined} */
export const protocolIn = (received) => SIGNS.find(([start]) => start.test(received.toString('latin1')))?.[1];
