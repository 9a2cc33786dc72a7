// Writes events.ndjson with pino: run, leg, phase, worker, warnings, the servers' lines.
// Each event is written synchronously. Of a flood of lines only the first are written, and the others counted.
import pino from 'pino';
import { replacerOfKept, withoutKept } from '../protocols/kept-secrets.js';

/** @import { Logger } from 'pino' */

const LINES_PER_SOURCE = 20;

/**
 * @param {string} file
 * @param {(error: Error) => void} onFailure called once if the file cannot be written; events are then held, and
 *   written with the next event
 * @returns {{ log: Logger, isWhole: () => boolean, close: () => void }}  isWhole: whether no event is held
 */
export function createLogger(file, onFailure) {
  const destination = pino.destination({ dest: file, sync: true, mkdir: true });
  let hasFailed = false;
  let isHeld = false;
  destination.on('error', (/** @type {Error} */ error) => {
    if (!hasFailed) onFailure(error);
    hasFailed = isHeld = true;
  });
  destination.on('write', () => (isHeld = false));
  const log = pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'msg',
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: withoutSecretsOf },
    },
    destination,
  );
  return {
    log,
    isWhole: () => !isHeld,
    close: () => {
      try {
        if (!isHeld) destination.flushSync(); // on a full disk it would not return
        destination.end();
      } catch (error) {
        if (!hasFailed) onFailure(/** @type {Error} */ (error));
      }
    },
  };
}

/** @param {string} line of JSON @returns {string} without the secrets of this process */
function withoutSecretsOf(line) {
  const replacer = replacerOfKept();
  return replacer === undefined ? line : `${JSON.stringify(JSON.parse(line), replacer)}\n`;
}

/** Writes the first lines of a source and counts the others, so that a verbose server cannot fill the disk. */
export class LineLimit {
  /** @param {(line: string) => void} write @param {number} [limit] lines passed between two flushes */
  constructor(write, limit = LINES_PER_SOURCE) {
    this.write = write;
    this.limit = limit;
    this.seen = 0;
    this.held = 0;
  }

  /** @param {string} line */
  add(line) {
    this.seen += 1;
    if (this.seen > this.limit) {
      this.held += 1;
      return;
    }
    const text = withoutKept(line); // before the line is cut: part of a secret would not be found
    this.write(text.length > 500 ? `${text.slice(0, 500)} ...` : text);
  }

  /** Writes how many lines were held back since the last flush, and lets a few lines through again. */
  flush() {
    if (this.held > 0) this.write(`... ${this.held} more lines`);
    this.held = 0;
    this.seen = Math.max(0, this.limit - 2);
  }
}
