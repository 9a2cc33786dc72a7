// `node .ci/system-packages.js [--development] [--release]`, as root: installs the packages of Debian and Ubuntu that
// .ci/run needs. A user needs only the first two; without the others some servers are unavailable and some tests are
// skipped, each with its reason. With --release it also installs what `npm run test:release` needs, and fetches the
// kernel of the guest. Uses built-in modules only, as it runs before anything is installed.

import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EnvironmentError } from '../client/errors.js';
import { run } from '../client/setup/run.js';
import { findProgram } from '../client/setup/tools.js';
import { fetchGuestKernel } from './guest-kernel.js';

/** @import { Settings as SetupSettings } from '../client/setup/prepare.js' */

/** Each line: the first of these packages that the system knows. */
const PACKAGES = [
  ['build-essential'],
  ['python3'],
  ['libuv1-dev'], // the libuv server
  ['liburing-dev'], // the engine's sends, the server io_uring
  ['libssl-dev'], // its TLS, in the native tests and where node has no OpenSSL of its own
  ['openssl'], // certificates for the tests
  ['chromium'], // the tests of the report
  ['fonts-dejavu-core'], // its screenshots
  ['strace'], // proof of what a server calls
  ['procps'],
  // The programs of servers/programs. Their packages may start them as services, nginx on port 80.
  ['nginx'],
  ['redis-server'],
  ['memcached'],
  ['nats-server'],
  ['iproute2'], // own network namespaces for the tests
  ['mmdebstrap'], // the bare machines of .ci/bare-machines.js
  ['clang'],
  ['clang-format'],
  ['libclang-rt-14-dev', 'libclang-rt-dev', 'libclang-rt-18-dev'], // the fuzzer and the sanitizers of clang
];

/** As PACKAGES, with --release. */
const RELEASE_PACKAGES = [
  ['apache2-utils'], // ab
  ['wrk'],
  ['libmemcached-tools'], // memcaslap
  ['qemu-system-x86'], // a guest whose kernel has SCTP
  ['busybox-static'], // its programs
];

/** @typedef {SetupSettings & { release: boolean }} Settings */

/**
 * For the servers in other languages, with --development: a program, or a command that must end with 0, and the package
 * that brings it. What is there already, whoever brought it, stays as it is.
 * @type {[string[], string][]}
 */
const TOOLCHAINS = [
  [['go'], 'golang-go'],
  [['cargo'], 'cargo'],
  [['rustc'], 'rustc'],
  [['rustfmt'], 'rustfmt'],
  [['cargo-clippy'], 'rust-clippy'],
  [['javac'], 'default-jdk-headless'],
  [['mvn'], 'maven'],
  [['python3', '-c', 'import venv, ensurepip'], 'python3-venv'],
];

const TRIES = 4;
/** Another apt may be at work: its lock is waited for, in seconds. */
const PATIENT = ['-o', 'DPkg::Lock::Timeout=120'];

/**
 * Installs what is missing; where nothing is, neither apt nor the network is touched.
 * @param {Settings} settings
 * @throws {EnvironmentError} without apt-get, without the right to use it, or when it fails
 */
export async function installSystemPackages(settings) {
  const names = (/** @type {string[][]} */ lines) => lines.map((choice) => choice.find(isKnown) ?? choice[0]);
  if (!findProgram('apt-get') || !findProgram('dpkg-query')) {
    const all = names([...packagesOf(settings), ...missingToolchains(settings)]);
    throw new EnvironmentError(
      `system packages can be installed with apt-get only; install by hand: ${all.join(' ')}`,
      {
        code: 'ENOAPT',
      },
    );
  }
  if (missing(settings).length === 0) {
    settings.say('all system packages are installed');
    return;
  }
  const sudo = asRoot();
  if (sudo === null) {
    const byHand = `sudo apt-get install -y ${names(missing(settings)).join(' ')}`;
    throw new EnvironmentError(`installing system packages needs root. Run: ${byHand}`, { code: 'ENOTROOT' });
  }
  await retried(settings, {
    name: 'apt-update',
    title: 'reading the package lists (apt-get update)',
    command: [...sudo, 'apt-get', ...PATIENT, 'update'],
  });
  const wanted = names(missing(settings));
  await retried(settings, {
    name: 'apt-install',
    title: `installing ${wanted.join(' ')}`,
    command: [
      ...sudo,
      'env',
      'DEBIAN_FRONTEND=noninteractive',
      'apt-get',
      ...PATIENT,
      'install',
      '-y',
      '--no-install-recommends',
      ...wanted,
    ],
  });
}

/**
 * @param {Settings} settings
 * @param {Parameters<typeof run>[1]} step
 */
async function retried(settings, step) {
  for (let tried = 1; ; tried++) {
    try {
      return await run(settings, step);
    } catch (error) {
      if (tried === TRIES) throw error;
      settings.say(`${step.title}: try ${tried} of ${TRIES} failed; again in ${tried * 5} s`);
      await wait(tried * 5_000);
    }
  }
}

/**
 * @param {Settings} settings
 * @returns {string[][]} the lines of which no package is installed
 */
function missing(settings) {
  return [...packagesOf(settings).filter((choice) => !choice.some(isInstalled)), ...missingToolchains(settings)];
}

/** @param {Settings} settings */
const packagesOf = ({ release }) => (release ? [...PACKAGES, ...RELEASE_PACKAGES] : PACKAGES);

/**
 * @param {{development: boolean}} settings
 * @param {(words: string[]) => boolean} [works] whether a command is there, or ends with 0 where it has arguments
 * @returns {string[][]} lines as those of PACKAGES
 */
export function missingToolchains({ development }, works = isThere) {
  return development ? TOOLCHAINS.filter(([words]) => !works(words)).map(([, name]) => [name]) : [];
}

/** @param {string[]} words */
function isThere([program, ...words]) {
  if (findProgram(program) === null) return false;
  return words.length === 0 || spawnSync(program, words, { stdio: 'ignore' }).status === 0;
}

/** @param {string} name */
const isInstalled = (name) => /^Status: .* installed$/m.test(answer('dpkg-query', ['-s', name]));

/** @param {string} name */
const isKnown = (name) => /Candidate: [^(]/.test(answer('apt-cache', ['policy', name]));

/** @returns {string[] | null} what to put before a command that needs root; null when there is no way */
function asRoot() {
  if (process.getuid?.() === 0) return [];
  return findProgram('sudo') && answer('sudo', ['-n', 'echo', 'yes']).trim() === 'yes' ? ['sudo', '-n'] : null;
}

/**
 * @param {string} program
 * @param {string[]} args
 * @returns {string} its stdout; empty when it failed
 */
function answer(program, args) {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}

/** @param {string[]} args */
async function main(args) {
  const unknown = args.filter((arg) => !['--development', '--release'].includes(arg));
  if (unknown.length > 0) {
    console.error(`system-packages: unknown option ${unknown.join(' ')}; expected --development or --release`);
    process.exitCode = 2;
    return;
  }
  const settings = {
    root: fileURLToPath(new URL('..', import.meta.url)),
    development: args.includes('--development'),
    release: args.includes('--release'),
    say: (/** @type {string} */ line) => void process.stderr.write(`system-packages: ${line}\n`),
  };
  try {
    await installSystemPackages(settings);
    if (settings.release) fetchGuestKernel(settings);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    console.error(`system-packages: ${error.message}`);
    process.exitCode = error.exitCode;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
