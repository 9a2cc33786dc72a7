/**
 * Compiles a native test with the engine's core: all of core/ but nothing of Node. One binary a test and variant, in a
 * temporary folder; the core itself is compiled once a variant.
 */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const core = fileURLToPath(new URL('../../client/engine/core', import.meta.url));

const WARNINGS = ['-Wall', '-Wextra', '-Wshadow', '-Wconversion', '-Wmissing-prototypes', '-Werror'];

/** What each test program is made of, besides the core. */
const PROGRAMS = {
  parts: ['test_parts.c'],
  engine: ['test_engine.c', 'leg.c', 'fake_transport.c'],
  flight: ['test_flight.c', 'leg.c', 'fake_transport.c'],
  pipeline: ['test_pipeline.c', 'leg.c', 'fake_transport.c'],
  open: ['test_open.c', 'leg.c', 'fake_transport.c'],
  spin: ['test_spin.c', 'leg.c', 'fake_transport.c'],
  oneWay: ['test_one_way.c', 'leg.c', 'fake_transport.c'],
  profile: ['test_profile.c', 'leg.c', 'fake_transport.c'],
  warmup: ['test_warmup.c', 'leg.c', 'fake_transport.c'],
  asked: ['test_asked.c', 'leg.c', 'fake_transport.c'],
  reconnect: ['test_reconnect.c', 'leg.c', 'fake_transport.c'],
  talk: ['test_talk.c', 'parley.c', 'leg.c', 'fake_transport.c'],
  silence: ['test_silence.c', 'parley.c', 'leg.c', 'fake_transport.c'],
  parley: ['test_parley.c', 'parley.c', 'peers.c'],
  transfers: ['test_transfers.c', 'leg.c', 'fake_transport.c'],
  storm: ['test_storm.c', 'leg.c', 'fake_transport.c'],
  causes: ['test_causes.c', 'leg.c', 'fake_transport.c'],
  threads: ['test_threads.c', 'peers.c'],
  io: ['test_io.c'],
  endpoints: ['test_endpoints.c'],
  lifetime: ['test_lifetime.c', 'leg.c', 'fake_transport.c'],
  tls: ['test_tls.c', 'tls_peer.c'],
  tlsEnds: ['test_tls_ends.c', 'tls_peer.c'],
  crowd: ['test_crowd.c'],
  memory: ['test_memory.c'],
  log: ['test_log.c'],
  codec: ['codec.c'],
};

/** @typedef {keyof typeof PROGRAMS} Program */

/** A build in which io_uring's rings and buffers run out all the time. */
export const TINY = ['-DIO_URING_PART=256u'];

/** Lets test_crowd.c and test_io.c get between io_uring and its completions. */
const COMPLETIONS_WRAPPED = '-Wl,--wrap=io_uring_peek_batch_cqe';

/** @returns {Promise<boolean>} whether the io_uring backend can be compiled */
export function hasLiburing() {
  const probe = path.join(core, '..', 'liburing_probe.c');
  return run(process.env.CC ?? 'cc', [probe, '-luring', '-o', '/dev/null']).then(
    () => true,
    () => false,
  );
}

/** @returns {Promise<boolean>} whether TLS can be compiled with the system's OpenSSL */
export function hasOpenssl() {
  const probe = path.join(core, '..', 'openssl_probe.c');
  return run(process.env.CC ?? 'cc', [probe, '-lssl', '-lcrypto', '-o', '/dev/null']).then(
    () => true,
    () => false,
  );
}

/** @param {string} folder @returns {string[]} the C files below it */
function sources(folder) {
  const files = /** @type {string[]} */ (readdirSync(folder, { recursive: true }));
  return files.filter((file) => file.endsWith('.c')).map((file) => path.join(folder, file));
}

/** @type {Map<string, Promise<string[]>>} the core's objects, by folder and flags of the variant */
const objectsOf = new Map();

/**
 * The core, compiled once for all programs of a variant.
 * @param {string} folder @param {string[]} options
 * @returns {Promise<string[]>}
 */
async function compileCore(folder, options) {
  const [uring, openssl] = await Promise.all([hasLiburing(), hasOpenssl()]);
  const wanted = sources(core).filter(
    (file) => (uring || !/\/io_uring(_\w+)?\.c$/.test(file)) && (openssl || !/\/tls(_\w+)?\.c$/.test(file)),
  );
  const own = await mkdtemp(path.join(folder, 'core-'));
  const left = wanted.map((file, i) => ({ file, object: path.join(own, `${i}-${path.basename(file, '.c')}.o`) }));
  const objects = left.map(({ object }) => object);
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (let next = left.pop(); next; next = left.pop()) {
        await run(process.env.CC ?? 'cc', [...options, '-c', next.file, '-o', next.object]);
      }
    }),
  );
  return objects;
}

/**
 * @param {Program} program
 * @param {string} folder to put the binary in
 * @param {string[]} flags of the variant, such as ['-fsanitize=thread']
 * @returns {Promise<string>} the binary's path
 */
export async function compile(program, folder, flags) {
  const binary = path.join(folder, `${program}${flags.join('')}`.replace(/[^\w/.-]/g, '-'));
  const [uring, openssl] = await Promise.all([hasLiburing(), hasOpenssl()]);
  const defines = ['-D_GNU_SOURCE', ...(uring ? ['-DHAVE_LIBURING'] : []), ...(openssl ? ['-DHAVE_OPENSSL'] : [])];
  const options = ['-std=c11', '-g', '-O1', ...defines, ...WARNINGS, ...flags];
  const variant = [folder, ...flags].join(' ');
  const objects = objectsOf.get(variant) ?? compileCore(folder, options);
  objectsOf.set(variant, objects);
  const own = PROGRAMS[program].map((file) => path.join(here, file));
  const watch = uring && (program === 'crowd' || program === 'io') ? [COMPLETIONS_WRAPPED] : [];
  const optional = [...(uring ? ['-luring'] : []), ...(openssl ? ['-lssl', '-lcrypto'] : [])];
  const libraries = ['-lpthread', '-lm', ...optional, ...watch];
  await run(process.env.CC ?? 'cc', [...options, ...own, ...(await objects), '-o', binary, ...libraries]);
  return binary;
}

/**
 * Fuzzes the reply parsers with libFuzzer, under AddressSanitizer and UndefinedBehaviorSanitizer.
 * @param {string} file the target's
 * @param {string} folder
 * @param {number} seconds
 * @param {string[]} corpus folders to begin with; none: from nothing
 * @returns {Promise<{runs: number}>} rejects with what it found
 */
export async function fuzz(file, folder, seconds, ...corpus) {
  const binary = path.join(folder, 'fuzz');
  const files = [path.join(here, file), ...sources(path.join(core, 'protocol'))];
  const flags = ['-std=c11', '-D_GNU_SOURCE', '-g', '-O1', '-fsanitize=fuzzer,address,undefined'];
  await run('clang', [...flags, ...files, '-o', binary]);
  const { stderr } = await run(
    binary,
    [`-max_total_time=${seconds}`, '-max_len=1100', '-print_final_stats=1', ...corpus],
    {
      cwd: folder,
      maxBuffer: 1 << 24,
    },
  );
  return { runs: Number(/number_of_executed_units: (\d+)/.exec(stderr)?.[1] ?? 0) };
}

/**
 * @param {string} binary
 * @param {string[]} args
 * @returns {Promise<{passed: number, failures: string}>} failures: what the tests printed of them, '' when all passed
 */
export async function runTests(binary, args) {
  const env = { ...process.env, TSAN_OPTIONS: 'halt_on_error=1', ASAN_OPTIONS: 'detect_leaks=1' };
  const { stdout, stderr, failed } = await run(binary, args, { env, timeout: 240_000, maxBuffer: 1 << 24 }).then(
    (output) => ({ ...output, failed: false }),
    (error) => ({ stdout: error.stdout ?? '', stderr: `${error.stderr ?? ''}\n${error.message}`, failed: true }),
  );
  const lines = stdout.split('\n');
  const passed = lines.filter((/** @type {string} */ line) => line.startsWith('ok ')).length;
  const broken = lines.filter((/** @type {string} */ line) => /^(not ok|# .*:\d+:)/.test(line));
  return { passed, failures: failed || broken.length > 0 ? [...broken, stderr.trim()].join('\n') : '' };
}
