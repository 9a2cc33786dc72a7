// Makes a bare checkout ready: npm dependencies, the addon, the C servers. Called by command.js before every
// `npm run stress` and `npm test`, and again by cli.js (for `--ignore-scripts` and the bin); warm, it costs a few
// milliseconds.
//
// This file must parse in Node 12.17, so that an old Node gets one clear line instead of a SyntaxError: no `node:`
// imports here, no `?.`, no `??`, no top-level await. Everything else is behind the import() below.
//
// cli.js, before it imports anything that is installed:
//
//     import { ensureReady } from './setup/index.js';
//     ensureReady().then(() => import('./main.js'));     // or: await ensureReady(); await import('yargs'); ...
//
// ensureReady resolves when all is in place. Otherwise it has printed why on stderr and ends the process with 3:
// nothing has been started at that point. It writes nothing on stdout.

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
 * Set-up, or one line on stderr and exit status 3.
 * @param {{development?: boolean, force?: boolean, system?: boolean}} [options] development: what the tests need too;
 *   force: everything again; system: the system's packages first
 * @returns {Promise<void>}
 */
export function ensureReady(options) {
  if (!isSupported(process.versions.node)) {
    console.error(
      'broadside: Node ' +
        OLDEST.join('.') +
        ' or newer is needed; ' +
        process.execPath +
        ' is ' +
        process.version +
        '. Nothing was installed. Install a newer Node and run the same command again.',
    );
    process.exit(3);
  }
  return import('node:fs')
    .then(function (fs) {
      requireDescriptors(fs);
      return import('./prepare.js');
    })
    .then(function (module) {
      return module.prepare(options || {});
    })
    .catch(function (error) {
      const expected = error !== null && typeof error === 'object' && error.exitCode === 3;
      console.error(isOutOfDescriptors(error) ? OUT_OF_DESCRIPTORS : expected ? 'broadside: ' + error.message : error);
      process.exit(3);
    });
}

/**
 * Descriptors that must be free to begin: loading the program's files opens some 40 at once. With fewer Node takes
 * files for missing that it cannot open, and says so in its own words, differently each time.
 */
const NEEDED = 128;

/**
 * Throws what the system says when NEEDED files cannot be open at once.
 * @param {typeof import('node:fs')} fs
 */
function requireDescriptors(fs) {
  /** @type {number[]} */
  const open = [];
  try {
    while (open.length < NEEDED) open.push(fs.openSync('/dev/null', 'r'));
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error; // any other: it is not for here to ask for /dev/null
  } finally {
    open.forEach(function (descriptor) {
      fs.closeSync(descriptor);
    });
  }
}

/** Too few even to load the program's own files: so it is said from here. */
export const OUT_OF_DESCRIPTORS =
  'broadside: this process may open too few files and sockets even to begin (EMFILE): raise ulimit -n, to 1024 or more';

/**
 * @param {any} error
 * @returns {boolean}
 */
export function isOutOfDescriptors(error) {
  return error !== null && typeof error === 'object' && (error.code === 'EMFILE' || error.code === 'ENFILE');
}
