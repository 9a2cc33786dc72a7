// The transfer logs that an agent keeps, as their controller may ask for them: the size and the hash of a file, and its
// bytes in parts. The one thing to know: an agent makes each path itself from run, leg and engine, and reads nothing
// outside of its logs folder, whatever it is asked for.

import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { arrowName, splitsName } from '../../store/transfer-log/index.js';
import { isCount } from './shape.js';
import { isId, token } from './subjects.js';

/**
 * @import { FileHandle } from 'node:fs/promises'
 * @import { LogState, Refusal, WhichLog } from './messages.js'
 */

/** The most bytes of a file that one answer has. */
export const MAX_PART_BYTES = 2 ** 20;
/** A file is read only if its name is not a link; opening a pipe does not wait. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class LogReader {
  /** @param {string} name of the agent @param {string} logs its folder */
  constructor(name, logs) {
    this.name = name;
    this.logs = logs;
    /** Of each file that was asked for, by path. @type {Map<string, { version: string, sha256: Promise<string> }>} */
    this.hashes = new Map();
  }

  /** @param {WhichLog} which @returns {Promise<LogState | Refusal>} its size and its hash */
  async describe(which) {
    return this.withFile(which, async (file, place) => {
      const { size, mtimeMs } = await file.stat();
      return { ok: true, bytes: size, sha256: await this.hashOf(place, `${size} ${mtimeMs}`) };
    });
  }

  /**
   * @param {WhichLog} which @param {number} from @param {number} bytes
   * @returns {Promise<Uint8Array | Refusal>} fewer where the file ends before
   */
  async read(which, from, bytes) {
    if (!isCount(from) || !isCount(bytes) || bytes > MAX_PART_BYTES)
      return this.refusal('log-refused', 'it asks for an impossible part of a file');
    return this.withFile(which, async (file) => {
      const part = Buffer.alloc(bytes);
      let length = 0;
      while (length < bytes) {
        const { bytesRead } = await file.read(part, length, bytes - length, from + length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return part.subarray(0, length);
    });
  }

  /**
   * Who asks again before there is an answer gets the same one: a hash takes a second for each gigabyte or two.
   * @param {string} place @param {string} version of the file's content
   */
  hashOf(place, version) {
    const known = this.hashes.get(place);
    if (known?.version === version) return known.sha256;
    const sha256 = hashOfFile(place);
    this.hashes.set(place, { version, sha256 });
    sha256.catch(() => this.hashes.delete(place)); // the next who asks may have more luck
    return sha256;
  }

  /**
   * @template Result
   * @param {WhichLog} which
   * @param {(file: FileHandle, place: string) => Promise<Result>} use
   * @returns {Promise<Result | Refusal>}
   */
  async withFile(which, use) {
    const names = namesOf(which);
    if (names === null)
      return this.refusal('log-refused', 'it is asked for a transfer log by an invalid run, leg or engine');
    let file;
    try {
      // a link on the way would lead elsewhere
      const place = path.join(await realpath(this.logs), ...names);
      if ((await realpath(place)) !== place)
        return this.refusal('log-refused', `${names.join('/')} leads out of its logs`);
      file = await open(place, FLAGS);
      if (!(await file.stat()).isFile()) return this.refusal('log-refused', `${names.join('/')} is not a file`);
      return await use(file, place);
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code === 'ENOENT' || code === 'ENOTDIR') {
        return this.refusal('log-missing', `there is no ${names.join('/')} in ${this.logs}`);
      }
      return this.refusal('log-unreadable', message);
    } finally {
      await file?.close();
    }
  }

  /** @param {string} code @param {string} why @returns {Refusal} */
  refusal(code, why) {
    return { ok: false, code, data: { name: this.name }, text: `agent ${this.name}: ${why}` };
  }
}

/** @param {WhichLog} which @returns {[run: string, leg: string, file: string] | null} null: there is no such log */
function namesOf({ run, leg, share, generation, splits }) {
  if (!isId(run) || !isId(leg) || !isCount(share) || !isCount(generation) || typeof splits !== 'boolean') return null;
  return [token(run), token(leg), (splits ? splitsName : arrowName)(share, generation)];
}

/** @param {string} place @returns {Promise<string>} in hexadecimal digits */
async function hashOfFile(place) {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(place, { flags: 'r', highWaterMark: 2 ** 20 })) hash.update(bytes);
  return hash.digest('hex');
}
