// The launcher: finds, builds, starts, watches and stops servers. Everything that it starts ends with the process that
// started it, even if that process is killed. The modules that build and start servers are loaded by the first call, as
// a plan does not need them.

export { ServerError } from './errors.js';
export { listServers } from './manifest/list-servers.js';
export { checkAvailability, discover } from './builder/availability.js';
export { markUse, tryLock, untilUnused, usersOf, withLock } from './builder/lock.js';
export { ignorePrebuilt } from './builder/prebuilt.js';
export { findProgram } from './process/find-program.js';
export { watchPid } from './process/usage.js';

const builder = () => import('./builder/build.js');

/** @type {typeof import('./builder/build.js').build} */
export const build = async (options) => (await builder()).build(options);
/** @type {typeof import('./builder/build.js').buildByCommand} */
export const buildByCommand = async (options) => (await builder()).buildByCommand(options);
/** @type {typeof import('./builder/build.js').chooseServer} */
export const chooseServer = async (...args) => (await builder()).chooseServer(...args);
/** @type {typeof import('./start/start.js').startInstances} */
export const startInstances = async (...args) => (await import('./start/start.js')).startInstances(...args);
/** @type {typeof import('./start/ready.js').isAccepted} */
export const isAccepted = async (endpoint) => (await import('./start/ready.js')).isAccepted(endpoint);
/** @type {typeof import('./start/start.js').startServer} */
export const startServer = async (options) => (await import('./start/start.js')).startServer(options);
