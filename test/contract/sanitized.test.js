// The conformance checks against the C servers under AddressSanitizer and UndefinedBehaviorSanitizer, and against those
// with threads under ThreadSanitizer as well. A finding ends the server, which makes a check fail.

import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { starter } from '../../servers/conformance/index.js';
import { discover } from '../../servers/launcher/index.js';
import { requireTool, skip } from '../hooks.js';
import { describeConformance, describeTimedConformance } from './conformance.js';

const run = promisify(execFile);

const env = {
  ASAN_OPTIONS: 'abort_on_error=0:exitcode=99',
  UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1',
  TSAN_OPTIONS: 'halt_on_error=1:exitcode=99:atexit_sleep_ms=0',
};

/**
 * ThreadSanitizer defers a signal that arrives outside a system call until the thread's next one has ended. When that is
 * an accept that nothing ends, only another signal does.
 */
const SIGNAL_AGAIN_MS = 200;

const found = (await discover()).filter(({ language }) => language === 'c');
const names = found.map(({ name }) => name);
/** @type {{title?: string, sanitizers: string, folder: string, names: string[], make?: string[]}[]} */
const VARIANTS = [
  { sanitizers: 'address,undefined', folder: 'build/address', names },
  { sanitizers: 'thread', folder: 'build/thread', names: names.filter((name) => /thread|-pool$|reactor/.test(name)) },
  {
    title: 'address,undefined, with rings and buffers that run out',
    sanitizers: 'address,undefined',
    folder: 'build/tiny',
    names: ['io_uring'],
    make: ['CFLAGS=-O1 -g -DRING_PART=64u'],
  },
];

/** @param {string} name */
function serverNamed(name) {
  const server = found.find((each) => each.name === name);
  if (!server) throw new Error(`there is no server ${name}`);
  return server;
}

const isAvailable = (/** @type {string} */ name) => serverNamed(name).available;

/**
 * ThreadSanitizer of gcc 12 cannot place its shadow memory among today's random addresses: -R turns those off.
 * @param {import('../../servers/launcher/builder/availability.js').FoundServer} server
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
 * @param {typeof VARIANTS[number]} variant
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

/** @param {typeof VARIANTS[number]} variant @param {typeof describeConformance} describeChecks of one server and protocol */
function describeEach(variant, describeChecks) {
  for (const name of variant.names) {
    describe.sanitized(name, () => {
      const server = serverNamed(name);
      const { manifest, folder: cwd } = server;
      const shared = {
        prepare: () => buildVariant(variant, server.folder),
        ...{ manifest, sanitized: true },
      };
      before(async function () {
        this.timeout(600_000);
        requireTool(this, 'setarch', 'util-linux');
        if (!server.available) skip(this, `${server.why} (${server.remedy})`);
        await shared.prepare();
      });
      const program = commandOf(server, variant.folder);
      for (const protocol of manifest.protocols) {
        describe(protocol, () => {
          const depth = protocol === 'echo' || name === 'epoll' ? 'full' : 'short';
          const start = starter({
            ...{ run: program, ready: 'line', cwd, protocol, env },
            ...(variant.sanitizers === 'thread' && { signalAgainMs: SIGNAL_AGAIN_MS }),
          });
          describeChecks({ ...shared, start, protocol, depth });
        });
      }
      if (name !== 'epoll') return;
      for (const transport of /** @type {const} */ (['sctp', 'sctp-seqpacket'])) {
        for (const protocol of ['echo', 'ace']) {
          describe(`${protocol} over ${transport}`, () => {
            const run = [...program, '--transport', transport, '--sctp-stack', 'usrsctp'];
            const start = starter({ run, ready: 'line', cwd, protocol, env });
            describeChecks({ ...shared, start, protocol, transport, stack: 'usrsctp' });
          });
        }
      }
    });
  }
}

for (const variant of VARIANTS) {
  const { sanitizers, title = sanitizers } = variant;
  describe(`under ${title}`, () => describeEach(variant, describeConformance));
  describe(`under ${title}, timed`, () => {
    describeEach(variant, describeTimedConformance);
  });
}
