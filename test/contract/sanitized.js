// The conformance checks against C servers that are built with a sanitizer. A finding ends the server, which makes a
// check fail.

import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { starter } from '../../servers/conformance/index.js';
import { discover } from '../../servers/launcher/index.js';
import { requireTool, skip } from '../skip.js';
import { describeConformance, isTimed } from './conformance.js';

/** @import { FoundServer } from '../../servers/launcher/builder/availability.js' */

const run = promisify(execFile);

const env = {
  ASAN_OPTIONS: 'abort_on_error=0:exitcode=99',
  UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1',
  TSAN_OPTIONS: 'halt_on_error=1:exitcode=99:atexit_sleep_ms=0',
};

/**
 * ThreadSanitizer defers a signal that arrives outside a system call until the thread's next one has ended. When that
 * is an accept that nothing ends, only another signal does.
 */
const SIGNAL_AGAIN_MS = 200;

const found = (await discover()).filter(({ language }) => language === 'c');

/**
 * @typedef {object} Variant
 * @property {string} [title]
 * @property {string} sanitizers
 * @property {string} folder
 * @property {string[]} names of servers
 * @property {string[]} [protocols] default: all
 * @property {string[]} [make] arguments
 */

/** The names of the servers in C. */
export const names = found.map(({ name }) => name);

/** @param {string} name */
function serverNamed(name) {
  const server = found.find((each) => each.name === name);
  if (!server) throw new Error(`there is no server ${name}`);
  return server;
}

const isAvailable = (/** @type {string} */ name) => serverNamed(name).available;

/**
 * ThreadSanitizer of gcc 12 cannot place its shadow memory among today's random addresses: -R turns those off.
 * @param {FoundServer} server
 * @param {string} folder
 */
function commandOf({ name, manifest }, folder) {
  const [program, ...words] = manifest.run;
  if (program !== `build/${name}`) throw new Error(`${name} is not run from build/${name}`);
  return ['setarch', '-R', `${folder}/${name}`, ...words];
}

/** @type {Map<string, Promise<unknown>>} the builds, by their folders */
const builds = new Map();

/**
 * Builds a variant of all its servers at once, when the first of them is wanted.
 * @param {Variant} variant
 * @param {string} home of the servers in C
 */
function buildVariant({ sanitizers, folder, names, make = [] }, home) {
  const built =
    builds.get(folder) ??
    run('make', [
      ...['-C', home, `-j${availableParallelism()}`, `SANITIZE=${sanitizers}`, `OUT=${folder}`, 'STRICT=1', ...make],
      ...names.filter(isAvailable),
    ]);
  builds.set(folder, built);
  return built;
}

/** @param {Variant} variant */
export function describeSanitized(variant) {
  describe(`under ${variant.title ?? variant.sanitizers}`, () => {
    for (const name of variant.names) describe(name, () => describeServer(variant, serverNamed(name)));
  });
}

/** @param {Variant} variant @param {FoundServer} server */
function describeServer(variant, server) {
  const { name, manifest, folder: cwd } = server;
  const prepare = () => buildVariant(variant, cwd);
  before(async function () {
    this.timeout(600_000);
    requireTool(this, 'setarch', 'util-linux');
    if (!server.available) skip(this, `${server.why} (${server.remedy})`);
    await prepare();
  });
  const shared = { prepare, manifest, sanitized: true };
  const program = commandOf(server, variant.folder);
  const { protocols = manifest.protocols } = variant;
  for (const protocol of protocols) {
    describe(protocol, () => {
      const depth = protocol === 'echo' || name === 'epoll' ? 'full' : 'short';
      const start = starter({
        ...{ run: program, ready: 'line', cwd, protocol, env },
        ...(variant.sanitizers === 'thread' && { signalAgainMs: SIGNAL_AGAIN_MS }),
      });
      describeConformance({ ...shared, start, protocol, depth, isWanted: (check) => !isTimed(check) });
    });
  }
}
