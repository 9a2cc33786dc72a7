// The cells of bare-machines.js: what each machine is like, and what has to happen on it.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @import { Machine, Outcome, Traits } from './machine.js'
 * @import { Instructions } from './readme.js'
 */

/**
 * @typedef {object} System
 * @property {string} suite of Debian
 * @property {string[]} [libraries] optional packages besides those that README.md asks for
 * @property {string[]} [tools] packages in place of those that README.md asks for
 * @property {string} node version, as layers.js knows it
 * @property {boolean} [hasNvm] Node lies where nvm puts it; otherwise where the official tarball does
 */

/**
 * @typedef {object} Cell
 * @property {string} name
 * @property {System} system
 * @property {boolean} [hasPackage] it gets the package in place of a clone of the checkout
 * @property {boolean} [isSetUp] the first command of README.md has run on it already
 * @property {Traits} [traits]
 * @property {string} [prepare] a command of root before everything else
 * @property {Step[]} steps
 */

/**
 * @typedef {object} Step
 * @property {(instructions: Instructions) => string} command
 * @property {(outcome: Outcome, machine: Machine) => string} check what it found, in a few words; throws an
 *   AssertionError
 */

/** @type {System} */
const DEBIAN_12 = { suite: 'bookworm', node: '20.19.0' };
/** Forbids io_uring to a command, as containers do. */
const FILTER = '/usr/local/bin/without-io_uring';
const LIBRARIES = ['libuv1-dev', 'liburing-dev', 'libssl-dev'];
/** @type {System} */
const WITH_LIBRARIES = { ...DEBIAN_12, libraries: LIBRARIES };
/** @type {System} the machine on which the package is made */
export const PACKAGING = { ...DEBIAN_12, libraries: [...LIBRARIES, 'git'] };
/** What the titles of tests say that need a library: liburing, OpenSSL. */
const NEEDS_LIBRARY = [/io_uring/, /TLS/];

/** @type {System} the machine of somebody who installs the package: without compiler, make and Python */
const WITHOUT_TOOLS = { ...DEBIAN_12, tools: [] };

/** @type {Step} */
const FIRST = { command: ({ first }) => first, check: measured };
/** @type {Step} */
const TESTS = { command: ({ test }) => test, check: tested };
/**
 * By its name, in another folder, into which it is written.
 * @type {Step}
 */
const BY_NAME = {
  command: ({ first, link, byName }) =>
    `${link} && cd "$(mktemp -d)" && ${first.replace('npm run stress --', byName)} && ls .broadside/report/index.html`,
  check: succeeded,
};
/**
 * The tests that are skipped without a library, with all of them: none may be skipped.
 * @type {Step}
 */
const TESTS_OF_LIBRARIES = {
  command: ({ test }) => `${test} -- --grep 'io_uring|TLS'`,
  check(outcome) {
    const found = tested(outcome);
    assert.match(outcome.output, /^\d+ passed, 0 failed, 0 skipped$/m, found);
    const passed = outcome.output.split('\n').filter((line) => line.includes('✔'));
    for (const title of NEEDS_LIBRARY)
      assert.ok(
        passed.some((line) => title.test(line)),
        `no test of ${title} ran`,
      );
    return found;
  },
};
/** @type {Step} */
const INSTALL = { command: ({ packaged }) => packaged.install, check: succeeded };
/** @type {Step} */
const PACKAGED_RUN = {
  command: ({ first, byName }) => first.replace('npm run stress --', byName),
  check: (outcome, machine) => measured(outcome, machine, '.broadside'),
};

const FULL_TMP = 'mount -t tmpfs -o size=16k tmpfs /tmp; head -c 16384 /dev/zero > /tmp/full';
/** A home directory that nobody can write. */
const CLOSED_HOME = 'mount -t tmpfs -o ro tmpfs /mnt; export HOME=/mnt';

/** @type {Cell[]} */
export const CELLS = [
  { name: 'debian-12', system: DEBIAN_12, isSetUp: true, steps: [BY_NAME, TESTS] },
  // for a user who is not root, with nvm, in a path with a blank and a letter outside ASCII
  {
    name: 'debian-13',
    system: { suite: 'trixie', node: '24', hasNvm: true },
    traits: { user: 'tester', folder: 'deux mots/mesuré' },
    steps: [FIRST],
  },
  {
    name: 'libraries',
    system: { ...WITH_LIBRARIES, node: '22' },
    steps: [FIRST, available({ io_uring: true, libuv: true }), TESTS_OF_LIBRARIES],
  },
  onlyWith('libuv1-dev', { io_uring: false, libuv: true }),
  onlyWith('liburing-dev', { io_uring: true, libuv: false }),
  onlyWith('libssl-dev', { io_uring: false, libuv: false }),
  {
    name: 'clang',
    system: { ...DEBIAN_12, tools: ['clang', 'libc6-dev', 'make', 'python3'] },
    prepare: 'rm /usr/bin/cc /usr/bin/c++',
    steps: [FIRST],
  },
  {
    // What keeps a machine from building is said before anything is built, so that one machine has many such faults in
    // turn.
    name: 'gcc-without-cc',
    system: DEBIAN_12,
    prepare: 'rm /usr/bin/cc /usr/bin/c++',
    steps: [
      refused('ETOOLS', { problem: 'no-such-compiler', compiler: 'no-cc' }, after('export CC=no-cc')),
      refused('ETOOLS', { problem: 'compiler-fails' }, after('mount -t tmpfs tmpfs /usr/include')),
      refused('ETOOLS', { problem: 'no-temporary-files', errno: 'ENOSPC' }, after(FULL_TMP)),
      refused('ESETUP', { problem: 'npm-cache', errno: 'EROFS' }, after(CLOSED_HOME)),
      FIRST,
    ],
  },
  { name: 'descriptors-1024', system: DEBIAN_12, isSetUp: true, traits: { descriptors: 1024 }, steps: [FIRST] },
  { name: 'one-cpu', system: DEBIAN_12, isSetUp: true, traits: { cpus: '0' }, steps: [FIRST] },
  { name: 'cpu-quota', system: DEBIAN_12, isSetUp: true, traits: { cpuQuota: 1.5 }, steps: [FIRST, hasQuota(1.5)] },
  { name: 'no-ipv6', system: DEBIAN_12, isSetUp: true, traits: { hasIpv6: false }, steps: [FIRST] },
  {
    name: 'no-io_uring',
    system: WITH_LIBRARIES,
    isSetUp: true,
    prepare: `cc -o ${FILTER} ~/broadside/test/fixtures/e2e-without-io-uring.c`,
    traits: { wrapper: FILTER },
    steps: [FIRST, available({ io_uring: false, libuv: true })],
  },
  {
    name: 'read-only',
    system: DEBIAN_12,
    traits: { isReadOnly: true },
    steps: [refused('ESETUP', { problem: 'not-writable' })],
  },
  {
    name: 'no-headers',
    system: DEBIAN_12,
    prepare: 'rm -r /usr/local/include/node',
    steps: [refused('ESETUP', { problem: 'no-headers' })],
  },
  {
    name: 'package',
    system: WITHOUT_TOOLS,
    hasPackage: true,
    traits: { online: true },
    steps: [INSTALL, PACKAGED_RUN],
  },
  {
    name: 'package-user',
    system: WITHOUT_TOOLS,
    hasPackage: true,
    traits: { online: true, user: 'tester', folder: 'mes mesures' },
    steps: [{ command: () => 'npm config set prefix ~/.local', check: succeeded }, INSTALL, PACKAGED_RUN],
  },
  {
    name: 'package-older-glibc',
    system: { ...WITHOUT_TOOLS, suite: 'bullseye' },
    hasPackage: true,
    traits: { online: true },
    steps: [INSTALL, refused('ETOOLS', { missing: ['Python 3', 'make', 'a C compiler'] }, PACKAGED_RUN)],
  },
];

/** @param {Cell} cell @returns {boolean} */
export const runsAllTests = ({ steps }) => steps.includes(TESTS);

/**
 * @param {string} library the only one of the optional ones
 * @param {Record<string, boolean>} servers which of them are available with it
 * @returns {Cell}
 */
function onlyWith(library, servers) {
  const others = LIBRARIES.filter((name) => name !== library);
  return {
    name: `only-${library.replace(/^lib|\d?-dev$/g, '')}`,
    system: WITH_LIBRARIES,
    isSetUp: true,
    // What was built with the others goes, so that nothing of it is used again.
    prepare: `dpkg --purge --force-depends ${others.join(' ')}; cd ~/broadside; rm -r servers/c/build client/engine/build`,
    steps: [FIRST, available(servers)],
  };
}

/**
 * @param {string} change of the machine, by commands of a shell
 * @returns {Step} the first command of README.md after it
 */
function after(change) {
  return { command: (instructions) => `${change}; ${FIRST.command(instructions)}`, check: FIRST.check };
}

/** @param {number} cores @returns {Step} */
function hasQuota(cores) {
  return {
    command: () => 'npm run -s doctor -- --json',
    check({ output }) {
      const { cpuQuota } = JSON.parse(output).machine.cores;
      assert.equal(cpuQuota, cores, 'cpuQuota');
      return `a quota of ${cpuQuota} cores`;
    },
  };
}

/**
 * @param {Outcome} outcome of a run
 * @param {Machine} machine
 * @param {string} [place] the folder of `logs` and `report`, in that of the machine
 * @returns {string}
 */
export function measured({ status }, machine, place = '.') {
  assert.equal(status, 0, 'exit code');
  const logs = join(machine.upper, machine.folder, place, 'logs');
  const [run] = readdirSync(logs).filter((name) => existsSync(join(logs, name, 'summary.json')));
  const summary = JSON.parse(readFileSync(join(logs, run, 'summary.json'), 'utf8'));
  assert.equal(summary.complete, true, 'summary.json: complete');
  const counts = summary.legs.map((/** @type {{transfers: {count: number}}} */ { transfers }) => transfers.count);
  assert.ok(
    counts.every((/** @type {number} */ count) => count > 0),
    `transfers: ${counts}`,
  );
  assert.ok(existsSync(join(machine.upper, machine.folder, place, 'report', 'index.html')), 'report/index.html');
  return `${counts.join(', ')} transfers`;
}

/** @param {Outcome} outcome @returns {string} */
export function succeeded({ status }) {
  assert.equal(status, 0, 'exit code');
  return 'done';
}

/** @param {Record<string, boolean>} servers by name, whether they are available @returns {Step} */
function available(servers) {
  return {
    command: () => `npm run -s servers -- list ${Object.keys(servers).join(' ')} --json 2>/dev/null`,
    check({ output }) {
      /** @type {{name: string, available: boolean}[]} */
      const listed = JSON.parse(output);
      const found = Object.fromEntries(listed.map((server) => [server.name, server.available]));
      assert.deepEqual(found, servers, 'available');
      return Object.entries(found)
        .map(([name, is]) => `${name} ${is ? 'available' : 'unavailable'}`)
        .join(', ');
    },
  };
}

/**
 * @param {string} code
 * @param {Record<string, any>} data what the data of the error has, among others
 * @param {Step} [step] the command that is refused; it gets --json
 * @returns {Step}
 */
function refused(code, data, step = FIRST) {
  return {
    command: (instructions) => `${step.command(instructions)} --json`,
    check({ status, output }) {
      const { error } = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '');
      const found = Object.fromEntries(Object.keys(data).map((key) => [key, error.data[key]]));
      assert.deepEqual({ status, code: error.code, data: found }, { status: 3, code, data });
      return `refused: ${error.text}`;
    },
  };
}

/** @param {Outcome} outcome of the tests; each skipped test has to name the package that it lacks @returns {string} */
function tested({ status, output }) {
  const [, passed, failed, skipped] =
    /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(output)?.map(Number) ??
    assert.fail('the tests did not run to their end');
  assert.equal(failed, 0, 'failed tests');
  assert.equal(status, 0, 'exit code');
  assert.ok(passed > 0, 'no test ran');
  const explained = output.match(/^ +- .* \(skipped: .*apt-get install .*\)$/gm)?.length ?? 0;
  assert.equal(explained, skipped, 'skipped tests that name a package to install');
  return `${passed} tests passed and ${skipped} were skipped`;
}
