// The launcher: finds, builds, starts, watches and stops servers. The one thing to know: everything it starts ends with
// the process that started it, however that one ends.

import { EXCHANGES } from './exchanges.js';

export { build, chooseServer } from './build.js';
export { checkAvailability, discover, listServers } from './discover.js';
export { ServerError } from './errors.js';
export { daemonText } from './guarded.js';
export { startServer } from './start.js';
export { verifyExchange } from './verify.js';
export { watchPid } from './watch.js';

/** The protocols of servers/PROTOCOLS.md. */
export const protocolNames = Object.keys(EXCHANGES);
