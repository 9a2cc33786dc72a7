// What events.ndjson says of a run whose summaries are not written yet: when its legs started, and what was warned of.

import { isObject } from './objects.js';

/** @import { Warning } from '../../config/types.js' */

/**
 * @typedef {{ startNs?: number, targets?: string[], warnings: Warning[] }} LegEvents  startNs: from the run's t0
 * @typedef {Partial<Warning> & { leg?: string, level?: unknown, msg?: string, startNs?: number, targets?: string[] }}
 *   Event
 */

const NEW_LINE = 10;
/** As the schema of a summary has it. */
const MOST_NS = 1e19;
/** Most lines may be the output of servers. */
const IS_TOLD = /"msg":"leg starts"|"level":"warn"/;

/** @param {string} line @returns {Event | null} null where it is damaged */
function parsed(line) {
  try {
    const event = JSON.parse(line);
    return isEvent(event) ? event : null;
  } catch {
    return null;
  }
}

/** @param {unknown} event @returns {event is Event} whether what is read of it is as it was written */
const isEvent = (event) =>
  isObject(event) &&
  [event.leg, event.code, event.msg].every((one) => one === undefined || typeof one === 'string') &&
  (event.data === undefined || isObject(event.data)) &&
  (event.startNs === undefined || isTime(event.startNs)) &&
  (event.targets === undefined || (Array.isArray(event.targets) && event.targets.every(isText)));

/** @param {unknown} one */
const isTime = (one) => typeof one === 'number' && one >= 0 && one <= MOST_NS;

/** @param {unknown} one */
const isText = (one) => typeof one === 'string';

/** Takes the file part by part, while it grows. */
export class RunEvents {
  constructor() {
    /** The beginning of a line. @type {Buffer} */
    this.rest = Buffer.alloc(0);
    /** By the leg's id. @type {Map<string, LegEvents>} */
    this.legs = new Map();
    /** Of the run. @type {Warning[]} */
    this.warnings = [];
  }

  /** @param {Buffer} part the next one */
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
