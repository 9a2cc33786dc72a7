// The causes of rejects and errors: a row for each. The page's script contains them, too. They define enums and names
// in C, fields of samples and summaries, figures, columns of exports, colours and legends.

/**
 * @typedef {object} FailedExchange  of the first exchange with a server, in words
 * @property {string} endpoint
 * @property {string} spoken  the protocol, such as "http over TLS"
 * @property {number} received  number of bytes
 * @property {string} bytes  the same, such as "7 bytes"
 * @property {string} came  what had been received, such as "before it sent anything"
 * @property {string} within  the timeout
 * @property {string} tls  how TLS failed, such as "in the handshake"
 *
 * @typedef {object} Cause
 * @property {string} name  unique among rejects, and among errors
 * @property {string} about  its meaning
 * @property {string} [called]  its name for people, where `name` says too little
 * @property {string} light  its colour, far enough from the others
 * @property {string} dark  likewise
 * @property {(exchange: FailedExchange) => string} failure  why the first exchange failed
 * @property {true} [byClient]  the client is the reason, whatever the server does
 * @property {true} [byServer]  the server closed, reset or rejected the connection, as one that has enough of them does
 * @property {true} [whileStarting]  a server that is still starting may fail so
 * @property {true} [accepted]  of a reject: the server had accepted the connection
 * @property {true} [incomplete]  of an error: a reply did not come, or not whole; what came of it was right
 */

const RESET = /** @type {const} */ ({ light: '#661a40', dark: '#d070a6', byServer: true, whileStarting: true });
const TIMEOUT = { light: '#e0a100', dark: '#f2c14a' };
const OTHER = { about: 'another error of the operating system', light: '#aaaeb3', dark: '#62676b' };

/** Why an attempt did not open. @satisfies {readonly Cause[]} */
export const REJECTS = /** @type {const} */ ([
  {
    name: 'refused',
    about: 'nothing listened on the port',
    ...{ light: '#cc4b00', dark: '#f07b3a' },
    whileStarting: true,
    failure: ({ endpoint }) => `nothing listens on ${endpoint}`,
  },
  {
    name: 'reset',
    about: 'the server, or something in between, reset the connection while it was being opened',
    ...RESET,
    failure: ({ endpoint }) => `the connection to ${endpoint} was reset while it was being opened`,
  },
  {
    name: 'timeout',
    about: 'no answer in time',
    ...TIMEOUT,
    failure: ({ endpoint, within }) => `${endpoint} did not accept a connection within ${within}`,
  },
  {
    name: 'unreachable',
    about: 'no route to the server’s address',
    ...{ light: '#35988a', dark: '#c1e9e4' },
    failure: ({ endpoint }) => `${endpoint} cannot be reached`,
  },
  {
    name: 'local',
    called: 'client limit (ports, descriptors, memory)',
    about: 'the client had no port, descriptor or memory left',
    ...{ light: '#332288', dark: '#9a90f0' },
    byClient: true,
    failure: ({ endpoint }) =>
      `this machine could not open a connection to ${endpoint} (ports, descriptors, memory or the source address)`,
  },
  {
    name: 'handshake',
    about: 'the TLS handshake failed',
    ...{ light: '#7e4967', dark: '#e5a3c8' },
    accepted: true,
    failure: ({ endpoint, tls }) => `${endpoint}: TLS failed ${tls}`,
  },
  {
    name: 'greeting',
    about: 'the server accepted the connection, but did not greet as the protocol requires',
    ...{ light: '#9d9d4c', dark: '#c4c463' },
    ...{ byServer: true, whileStarting: true, accepted: true },
    failure: ({ endpoint, received, spoken }) =>
      `${endpoint} ${received === 0 ? 'gave no answer to' : 'does not accept'} the greeting of ${spoken}`,
  },
  {
    name: 'other',
    ...OTHER,
    failure: ({ endpoint }) => `no connection to ${endpoint} could be opened: ${OTHER.about}`,
  },
]);

/** What ended or invalidated an open connection. @satisfies {readonly Cause[]} */
export const ERRORS = /** @type {const} */ ([
  {
    name: 'reset',
    about: 'the peer reset the connection',
    ...RESET,
    incomplete: true,
    failure: ({ endpoint, came }) => `${endpoint} reset the connection ${came}`,
  },
  {
    name: 'closed',
    about: 'the peer ended the connection unexpectedly',
    ...{ light: '#c9586a', dark: '#ef8a98' },
    ...{ byServer: true, whileStarting: true, incomplete: true },
    failure: ({ endpoint, came }) => `${endpoint} closed the connection ${came}`,
  },
  {
    name: 'timeout',
    about: 'no whole reply in time',
    ...TIMEOUT,
    incomplete: true,
    failure: ({ endpoint, spoken, received, bytes, within }) =>
      received === 0
        ? `${endpoint} accepted the connection, but sent nothing within ${within}`
        : `${endpoint} sent ${bytes}, but no complete reply of ${spoken}, within ${within}`,
  },
  {
    name: 'corrupt',
    about: 'the bytes of the reply were not those expected',
    ...{ light: '#3b7dd8', dark: '#6aa9ff' },
    failure: ({ endpoint, spoken }) => `${endpoint} sent a reply of ${spoken} other than the expected one`,
  },
  {
    name: 'protocol',
    about: 'what the peer sent was not of the protocol',
    ...{ light: '#117733', dark: '#4c9b65' },
    failure: ({ endpoint, spoken }) => `${endpoint} sent a reply that cannot be read as ${spoken}`,
  },
  {
    name: 'other',
    ...OTHER,
    failure: ({ endpoint, came }) => `the connection to ${endpoint} failed ${came}: ${OTHER.about}`,
  },
]);

/** @type {readonly Cause[]} */
export const CAUSES = [...REJECTS, ...ERRORS];
