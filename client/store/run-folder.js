// The run folder, logs/<run-id>/. All files of a run are written through it, except the engine's transfer logs.
// A failed write does not throw: it is recorded and reported once, and the file is written again later.
import { accessSync, constants, mkdirSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { EnvironmentError } from '../errors.js';
import { replacerOfKept, withoutKept } from '../protocols/kept-secrets.js';
import { slugOf } from '../words/slug.js';
import { makeFolder } from './output-folder.js';
import { replaceFile } from './replace-file.js';

/**
 * @param {Date} date local time is used @param {string} scenario @returns {string} YYYYMMDD-HHMMSS-<scenario>
 */
export function runId(date, scenario) {
  const padded = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const day = `${date.getFullYear()}${padded(date.getMonth() + 1)}${padded(date.getDate())}`;
  const time = `${padded(date.getHours())}${padded(date.getMinutes())}${padded(date.getSeconds())}`;
  return `${day}-${time}-${slugOf(scenario) || 'run'}`;
}

/**
 * Makes a new folder: <id>, or <id>-2, -3 ... if that exists.
 * @param {string} logs @param {string} id
 * @returns {RunFolder}
 */
export function createRunFolder(logs, id) {
  try {
    makeFolder(logs);
    for (let n = 1; ; n += 1) {
      const name = n === 1 ? id : `${id}-${n}`;
      try {
        mkdirSync(path.join(logs, name));
        return new RunFolder(path.join(logs, name), name);
      } catch (error) {
        if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
      }
    }
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new EnvironmentError(
      `cannot make a run folder in ${path.resolve(logs)}: ${message}; ` + 'give another place with --logs DIR',
      { code: 'EFOLDER', data: { option: 'logs', folder: path.resolve(logs), errno: code ?? null }, cause: error },
    );
  }
}

/**
 * Makes the folder that an option names, with its parents.
 * @param {'logs' | 'report'} name of the option
 * @param {string} folder
 * @throws {EnvironmentError} if the folder cannot be made or written to
 */
export function makeOutputFolder(name, folder) {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw folderError(name, folder, error);
  }
}

/**
 * @param {'logs' | 'report'} name of the option that chose the folder
 * @param {string} folder
 * @param {unknown} error of the system
 * @returns {EnvironmentError}
 */
function folderError(name, folder, error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  const remedy = `${isFull ? 'free some space there, or ' : ''}choose another with --${name} DIR`;
  return new EnvironmentError(`the folder ${folder} cannot be written to: ${message}; ${remedy}`, {
    code: 'EFOLDER',
    data: { option: name, folder: path.resolve(folder), errno: code ?? null },
    cause: error,
  });
}

/**
 * @template T
 * @param {'logs' | 'report'} name of an option
 * @param {string} folder that it chose
 * @param {() => Promise<T>} write into the folder
 * @returns {Promise<T>}
 * @throws {EnvironmentError} if the system refuses it
 */
export async function writeInto(name, folder, write) {
  try {
    return await write();
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).syscall === undefined) throw error;
    throw folderError(name, folder, error);
  }
}

/** One run's folder. */
export class RunFolder {
  /** @param {string} folder @param {string} id */
  constructor(folder, id) {
    this.folder = folder;
    this.id = id;
    /** @type {Set<string>} */
    this.failed = new Set();
    /** @type {(file: string, error: Error) => void} */
    this.onFailure = () => {};
  }

  /** Makes the folder of a leg. @param {string} legId @returns {string} */
  legFolder(legId) {
    const folder = path.join(this.folder, legId);
    try {
      mkdirSync(folder, { recursive: true });
    } catch (error) {
      this.fail(legId, error);
    }
    return folder;
  }

  /** @param {string} name @param {unknown} content JSON, written without the secrets of this process */
  writeJson(name, content) {
    return this.replace(name, `${JSON.stringify(content, replacerOfKept(), 2)}\n`);
  }

  /** @param {string} name @param {string} text written without the secrets of this process */
  writeText(name, text) {
    return this.replace(name, withoutKept(text));
  }

  /** @param {string} name @param {string} text */
  replace(name, text) {
    return this.attempt(name, () => replaceFile(path.join(this.folder, name), text));
  }

  /**
   * @param {string[]} names of files that must exist by now
   * @returns {string[]} files that could not be written, or have been removed
   */
  missing(names) {
    return names.filter(
      (name) => this.failed.has(name) || !statSync(path.join(this.folder, name), { throwIfNoEntry: false })?.isFile(),
    );
  }

  /**
   * Shows other hosts, which cannot see this process, that the run is in progress.
   * @param {number} [nowMs]
   */
  touch(nowMs = Date.now()) {
    try {
      utimesSync(path.join(this.folder, 'environment.json'), nowMs / 1000, nowMs / 1000);
    } catch {
      // the next write of the file reports its failure
    }
  }

  /** @param {string} name @param {() => void} write @returns {boolean} whether it was written */
  attempt(name, write) {
    try {
      write();
      return true;
    } catch (error) {
      this.fail(name, error);
      return false;
    }
  }

  /** @param {string} name @param {unknown} error */
  fail(name, error) {
    if (this.failed.has(name)) return;
    this.failed.add(name);
    this.onFailure(name, /** @type {Error} */ (error));
  }
}
