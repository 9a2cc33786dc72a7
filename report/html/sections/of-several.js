/** What the page of one server, measured once, has no part of: page.js loads these sections for the other runs. */
export { bars } from './bars.js';
export { change } from './change.js';
export { servers } from './servers.js';
