// The launcher: finds, builds, starts, watches and stops servers. The one thing to know: everything it starts ends with
// the process that started it, however that one ends.

export { build } from './build.js';
export { checkAvailability, discover, listServers } from './discover.js';
export { ServerError } from './errors.js';
export { startServer } from './start.js';
export { verifyExchange } from './verify.js';
export { watchPid } from './watch.js';
