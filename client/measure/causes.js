// The causes of rejects and errors: a row for each. The page's script contains them, too. They define enums and names
// in C, fields of samples and summaries, figures, columns of exports, colours and legends.

/**
 * @typedef {object} Cause
 * @property {string} name  unique among rejects, and among errors
 * @property {string} about  its meaning
 * @property {string} [called]  its name for people, where `name` says too little
 * @property {string} light  its colour, far enough from the others
 * @property {string} dark  likewise
 */

const RESET = { light: '#661a40', dark: '#d070a6' };
const TIMEOUT = { light: '#e0a100', dark: '#f2c14a' };
const OTHER = { light: '#aaaeb3', dark: '#62676b' };

/** Why an attempt did not open. @satisfies {readonly Cause[]} */
export const REJECTS = /** @type {const} */ ([
  { name: 'refused', about: 'nothing listened on the port', light: '#cc4b00', dark: '#f07b3a' },
  {
    name: 'reset',
    ...RESET,
    about: 'the server, or something in between, reset the connection while it was being opened',
  },
  { name: 'timeout', about: 'no answer in time', ...TIMEOUT },
  { name: 'unreachable', about: 'no route to the server’s address', light: '#35988a', dark: '#c1e9e4' },
  {
    name: 'local',
    called: 'client limit (ports, descriptors, memory)',
    light: '#332288',
    dark: '#9a90f0',
    about: 'the client had no port, descriptor or memory left',
  },
  { name: 'handshake', about: 'the TLS handshake failed', light: '#7e4967', dark: '#e5a3c8' },
  {
    name: 'greeting',
    light: '#9d9d4c',
    dark: '#c4c463',
    about: 'the server accepted the connection, but did not greet as the protocol requires',
  },
  { name: 'other', about: 'another error of the operating system', ...OTHER },
]);

/** What ended or invalidated an open connection. @satisfies {readonly Cause[]} */
export const ERRORS = /** @type {const} */ ([
  { name: 'reset', about: 'the peer reset the connection', ...RESET },
  { name: 'closed', about: 'the peer ended the connection unexpectedly', light: '#c9586a', dark: '#ef8a98' },
  { name: 'timeout', about: 'no whole reply in time', ...TIMEOUT },
  { name: 'corrupt', about: 'the bytes of the reply were not those expected', light: '#3b7dd8', dark: '#6aa9ff' },
  { name: 'protocol', about: 'what the peer sent was not of the protocol', light: '#117733', dark: '#4c9b65' },
  { name: 'other', about: 'another error of the operating system', ...OTHER },
]);

/** @type {readonly Cause[]} */
export const CAUSES = [...REJECTS, ...ERRORS];
