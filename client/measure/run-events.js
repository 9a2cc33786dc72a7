// What events.ndjson says of a run whose summaries are not written yet: when its legs started, and what was
// warned of. Pure.

/**
 * @typedef {import('../words/warnings.js').Warning} Warning
 * @typedef {{ startNs?: number, targets?: string[], warnings: Warning[] }} LegEvents  startNs: from the run's t0
 */

const NEW_LINE = 10;
/** Most lines may be the output of servers. */
const IS_TOLD = /"msg":"leg starts"|"level":"warn"/;

/** @param {string} line @returns {any} null where it is damaged */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

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

  /** @param {any} event */
  take({ leg, level, code, data, msg, startNs, targets }) {
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
