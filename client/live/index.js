// The live page of a run, seen from the run: who serves it, and what tells it what happens.

export { LiveDisplay, liveColumns } from './live-display.js';
export { LiveServer } from './live-server.js';
