// The launcher: finds, builds, starts, watches and stops servers. Everything that it starts ends with the process that
// started it, even if that process is killed.

export { ServerError } from './errors.js';
export { listServers } from './manifest/list-servers.js';
export { checkAvailability, discover } from './builder/availability.js';
export { build, buildByCommand, chooseServer } from './builder/build.js';
export { withLock } from './builder/lock.js';
export { ignorePrebuilt } from './builder/prebuilt.js';
export { findProgram } from './process/find-program.js';
export { watchPid } from './process/usage.js';
export { startInstances } from './start/instances.js';
export { isAccepted } from './start/ready.js';
export { startServer } from './start/start.js';
