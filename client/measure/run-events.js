// Reads from events.ndjson, for a run whose summaries are not written yet, when its legs started and what warnings
// there were.

import { isObject } from './objects.js';

/** @import { Warning } from '../../config/types.js' */

/**
 * @typedef {{ startNs?: number, targets?: string[], warnings: Warning[] }} LegEvents  startNs: from the run's t0
 * @typedef {Partial<Warning> & { leg?: string, level?: unknown, msg?: string, startNs?: number, targets?: string[] }}
 *   Event
 */

const NEW_LINE = 10;
/** As in the schema of a summary. */
const MOST_NS = 1e19;
/** Only lines of these kinds are parsed, because most lines may be the output of servers. */
const IS_TOLD = /"msg":"leg starts"|"level":"warn"/;

/** @param {string} line @returns {Event | null} null if it is damaged */
function parsed(line) {
  try {
    const event = JSON.parse(line);
    return isEvent(event) ? event : null;
  } catch {
    return null;
  }
}

/** @param {unknown} event @returns {event is Event} whether the parts that are read are valid */
const isEvent = (event) =>
  isObject(event) &&
  [event.leg, event.code, event.msg].every((value) => value === undefined || typeof value === 'string') &&
  (event.data === undefined || isObject(event.data)) &&
  (event.startNs === undefined || isTime(event.startNs)) &&
  (event.targets === undefined || (Array.isArray(event.targets) && event.targets.every(isText)));

/** @param {unknown} value */
const isTime = (value) => typeof value === 'number' && value >= 0 && value <= MOST_NS;

/** @param {unknown} value */
const isText = (value) => typeof value === 'string';

/** Reads the file part by part, while it grows. */
export class RunEvents {
  constructor() {
    /** The beginning of a line. @type {Buffer} */
    this.rest = Buffer.alloc(0);
    /** By the leg's id. @type {Map<string, LegEvents>} */
    this.legs = new Map();
    /** The warnings of the run itself. @type {Warning[]} */
    this.warnings = [];
  }

  /** @param {Buffer} part the next part */
  add(part) {
    const bytes = Buffer.concat([this.rest, part]);
    const end = bytes.lastIndexOf(NEW_LINE) + 1;
    this.rest = bytes.subarray(end);
    for (const line of bytes.toString('utf8', 0, end).split('\n')) {
      const event = IS_TOLD.test(line) ? parsed(line) : null;
      if (event !== null) this.take(event);
    }
  }

  /** @param {string} leg its id @returns {LegEvents} */
  of(leg) {
    return this.legs.get(leg) ?? { warnings: [] };
  }

  /** @param {Event} event */
  take({ leg, level, code, data = {}, msg = '', startNs, targets }) {
    const isWarning = level === 'warn' && code !== undefined;
    if (isWarning && leg === undefined) this.warnings.push({ code, data, text: msg });
    if (leg === undefined) return;
    const known = this.of(leg);
    this.legs.set(leg, {
      ...known,
      ...(startNs === undefined ? {} : { startNs, targets }),
      warnings: isWarning ? [...known.warnings, { code, data, text: msg }] : known.warnings,
    });
  }
}
