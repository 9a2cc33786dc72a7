// Makes a bare checkout ready: npm dependencies, compiled validators, the addon, the C servers. Called by cli.js before
// every command, and by command.js before `npm test`; warm, it costs a few milliseconds.
//
// This file must parse in Node 12.17, so that an old Node gets one clear line instead of a SyntaxError: no `node:`
// imports here, no `?.`, no `??`, no top-level await. Everything else is behind the import() below.
//
// Call it before anything installed is imported:
//
//     import { ensureReady } from './setup/index.js';
//     ensureReady().then(() => import('./main.js'));     // or: await ensureReady(); await import('yargs'); ...
//
// ensureReady resolves when everything is in place. Otherwise it prints the reason on stderr and ends the process with
// exit code 3, before anything has been started. It writes nothing to stdout.

import { closeSync, openSync } from 'fs'; // Node 12.17 knows no `node:`
import { inert } from '../words/inert.js';

/** The oldest Node that the dependencies run on; the same as in package.json's "engines". */
const OLDEST = [20, 19];

/**
 * @param {string} version such as '20.19.0'
 * @returns {boolean} true when this Node is new enough
 */
export function isSupported(version) {
  const parts = version.split('.').map(Number);
  return parts[0] > OLDEST[0] || (parts[0] === OLDEST[0] && parts[1] >= OLDEST[1]);
}

/**
 * Makes the checkout ready, or prints the reason on stderr and ends the process with exit code 3.
 * @param {{development?: boolean, force?: boolean}} [options] development: also what the tests need; force: build
 *   everything again
 * @returns {Promise<void>}
 */
export function ensureReady(options) {
  if (!isSupported(process.versions.node)) {
    endWith({
      code: 'ENODE',
      data: { version: process.versions.node, needed: OLDEST.join('.') },
      message:
        'Node ' +
        OLDEST.join('.') +
        ' or newer is needed; ' +
        process.execPath +
        ' is ' +
        process.version +
        '. Nothing was installed. Install a newer Node and run the same command again.',
    });
  }
  return import('./prepare.js')
    .then(function (module) {
      return module.prepare(options || {});
    })
    .catch(function (error) {
      if (isOutOfDescriptors(error)) endOutOfDescriptors();
      if (error !== null && typeof error === 'object' && error.exitCode === 3) endWith(error);
      if (error instanceof Error && 'syscall' in error) endFailedCall(/** @type {NodeJS.ErrnoException} */ (error));
      console.error(error);
      process.exit(3);
    });
}

/** @param {NodeJS.ErrnoException} error of a system call, such as ENOSPC */
function endFailedCall(error) {
  endWith({
    code: 'ESETUP',
    data: { problem: 'system-call', errno: error.code, syscall: error.syscall, path: error.path },
    message: 'Broadside could not be set up: ' + error.message,
  });
}

/** Ends the process from here, because with too few descriptors nothing else can be loaded. */
export function endOutOfDescriptors() {
  endWith({
    code: 'EMFILE',
    data: {},
    // Node has raised the limit as far as this user can.
    message:
      'too few file descriptors to start (EMFILE): raise the hard limit to 1024 or more. As root: ulimit -Hn 1024, or the line ' +
      '"* hard nofile 1024" in /etc/security/limits.conf; for a container: --ulimit nofile=1024:1024; for a service of ' +
      'systemd: LimitNOFILE=1024',
  });
}

/**
 * Prints an error as commands/program.js does, with --json as one line of JSON, and ends the process.
 * @param {{code: string, data: object, message: string, exitCode?: number}} error exitCode: 3 by default
 */
export function endWith(error) {
  const exitCode = error.exitCode || 3;
  const fields = { code: error.code, data: error.data, text: error.message, exitCode: exitCode };
  const asJson = process.argv.indexOf('--json') >= 0;
  console.error(
    inert(asJson ? JSON.stringify({ error: fields }) : 'broadside: ' + error.message.replace(/\n/g, '\nbroadside: ')),
  );
  process.exit(exitCode);
}

/**
 * @param {unknown} error
 * @returns {boolean}
 */
export function isOutOfDescriptors(error) {
  const code = error !== null && typeof error === 'object' && 'code' in error ? error.code : null;
  // Without a free descriptor, Node reports a package as missing.
  return code === 'EMFILE' || code === 'ENFILE' || (code === 'ERR_MODULE_NOT_FOUND' && !canOpen());
}

/** @returns {boolean} whether this process has a descriptor left */
function canOpen() {
  try {
    closeSync(openSync('/dev/null', 'r'));
    return true;
  } catch (_) {
    return false;
  }
}
