// The launcher: finds, builds, starts, watches and stops servers. The one thing to know: everything it starts ends with
// the process that started it, however that one ends.

import { EXCHANGES } from './start/exchanges.js';

export { build, chooseServer } from './builder/build.js';
export { checkAvailability, discover } from './builder/availability.js';
export { listServers } from './manifest/list-servers.js';
export { ServerError } from './errors.js';
export { daemonText } from './process/guarded.js';
export { startServer } from './start/start.js';
export { verifyExchange } from './start/verify.js';
export { watchPid } from './process/usage.js';

/** The protocols of servers/PROTOCOLS.md. */
export const protocolNames = Object.keys(EXCHANGES);
