// What the server under test writes: its lines are logged up to a limit, and the first ones of stderr are reported as warnings.
import { LineLimit } from '../store/event-log.js';
import { warning } from '../words/warnings.js';

const MAX_LINES_KEPT = 8;
/** Of stderr, reported as warnings of the leg; a server may write one for each connection. */
const MAX_LINES_WARNED = 5;

export class ServerOutput {
  /** @param {import('./server-under-test.js').Context} context */
  constructor({ leg, log, warn }) {
    this.limit = new LineLimit((line) => log.info({ source: 'server' }, line));
    this.warn = warn;
    // Broadside's own servers write only errors to stderr; what other programs and wrappers write there may mean anything.
    this.reports =
      leg.server.kind === 'named' && leg.serverModel?.language !== 'program' && leg.wrap?.server === undefined;
    /** Of the stderr of each instance. @type {Map<number, string[]>} */
    this.lastLines = new Map();
    /** @type {Set<string>} */
    this.reported = new Set();
  }

  /** @param {number} instance @returns {string[]} of its stderr */
  lastLinesOf(instance) {
    return [...(this.lastLines.get(instance) ?? [])];
  }

  /** @param {string} stream @param {string} line @param {number} instance */
  add(stream, line, instance) {
    this.limit.add(line);
    if (stream !== 'stderr') return;
    this.lastLines.set(instance, [...this.lastLinesOf(instance), line].slice(-MAX_LINES_KEPT));
    if (!this.reports || this.reported.size >= MAX_LINES_WARNED || this.reported.has(line)) return;
    this.reported.add(line);
    this.warn(warning('server-output', { line }));
  }

  flush() {
    this.limit.flush();
  }
}
