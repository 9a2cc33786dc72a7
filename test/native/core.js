/**
 * Compiles a native test with the engine's core: all of core/ but nothing of Node. One binary a test and variant; what
 * has not changed is not compiled again (compile-cache.js).
 */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { promisify } from 'node:util';
import { findCompiler } from '../../servers/launcher/process/find-program.js';
import { compileObjects, link } from './compile-cache.js';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const core = fileURLToPath(new URL('../../client/engine/core', import.meta.url));

/** What check.c prints before the tests. */
const PLAN = /^1\.\.(\d+)$/;
export const CC = findCompiler() ?? 'cc';
const WARNINGS = ['-Wall', '-Wextra', '-Wshadow', '-Wconversion', '-Wmissing-prototypes', '-Werror'];

/** The tests on a fake clock and a fake transport, and of parts that need neither: one program. */
const FAKE_CLOCK = [
  ...['leg.c', 'fake_transport.c', 'chatty_protocol.c'],
  ...[
    'units',
    'engine',
    'pipeline',
    'pipeline_http',
    'slices',
    'slices_loop',
    'open_loop',
    'one_way',
    'profile',
    'warmup',
    'ramp',
    'control_messages',
    'transfers',
    'timestamps',
    'storm',
    'causes',
    'quotes',
    'lifetime',
  ].map((name) => `test_${name}.c`),
];

/** What each test program is made of, besides the core. Some are run by ../release/native.test.js only. */
const PROGRAMS = {
  fakeClock: FAKE_CLOCK,
  timestampsLive: ['test_timestamps_live.c', 'peers.c'],
  threads: ['test_threads.c', 'peers.c'],
  transports: ['test_transports.c'],
  socketReuse: ['test_socket_reuse.c'],
  socketRing: ['test_socket_ring.c'],
  sctp: ['test_sctp.c', 'sctp_peer.c', 'blocking_sctp.c'],
  endpoints: ['test_endpoints.c'],
  udp: ['test_udp.c'],
  tls: ['test_tls.c', 'tls_peer.c'],
  tlsEnds: ['test_tls_ends.c', 'tls_peer.c'],
  transportsLoad: ['test_transports_load.c'],
  memory: ['test_memory.c'],
  allocations: ['test_allocations.c', 'peers.c'],
  transferLog: ['test_transfer_log.c'],
  codec: ['codec.c'],
};

/** @typedef {keyof typeof PROGRAMS} Program */

/** AddressSanitizer and UndefinedBehaviorSanitizer. */
export const ADDRESS = ['-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];

/** @type {Map<string, Promise<boolean>>} */
const probes = new Map();

/** @param {string} name of a program to be compiled @param {string[]} libraries @returns {Promise<boolean>} */
function compiles(name, libraries) {
  const probe = path.join(core, '..', name);
  const answer =
    probes.get(name) ??
    run(CC, [probe, ...libraries, '-o', '/dev/null']).then(
      () => true,
      () => false,
    );
  probes.set(name, answer);
  return answer;
}

/** @returns {Promise<boolean>} whether sends can be submitted by a ring */
const hasLiburing = () => compiles('liburing_probe.c', ['-luring']);

/** @returns {Promise<boolean>} whether TLS can be compiled with the system's OpenSSL */
export const hasOpenssl = () => compiles('openssl_probe.c', ['-lssl', '-lcrypto']);

/** @param {string} folder @returns {string[]} the C files below it */
function sources(folder) {
  const files = /** @type {string[]} */ (readdirSync(folder, { recursive: true }));
  return files.filter((file) => file.endsWith('.c')).map((file) => path.join(folder, file));
}

/**
 * @param {Program} program
 * @param {string[]} flags of the variant, such as ['-fsanitize=thread']
 * @returns {Promise<string>} the binary's path
 */
export async function compile(program, flags) {
  const [uring, openssl] = await Promise.all([hasLiburing(), hasOpenssl()]);
  const parts = [
    { has: uring, define: 'HAVE_LIBURING', libraries: ['-luring'] },
    { has: openssl, define: 'HAVE_OPENSSL', files: /\/tls(_\w+)?\.c$/, libraries: ['-lssl', '-lcrypto'] },
  ];
  const defines = ['-D_GNU_SOURCE', ...parts.flatMap(({ has, define }) => (has ? [`-D${define}`] : []))];
  const options = ['-std=c11', '-O1', ...defines, ...WARNINGS, ...flags];
  const files = [...['check.c', ...PROGRAMS[program]].map((file) => path.join(here, file)), ...sources(core)];
  const wanted = files.filter((file) => parts.every((part) => part.has || !part.files?.test(file)));
  const objects = await compileObjects(CC, wanted, options);
  const optional = parts.flatMap(({ has, libraries }) => (has ? libraries : []));
  return link(CC, objects, flags, ['-lpthread', '-lm', ...optional]);
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
 * @returns {Promise<{passed: number, planned: number, failures: string}>} planned: how many tests the
 *   program has; failures: what the tests printed of them, '' when all passed
 */
export async function runTests(binary, args) {
  const env = { ...process.env, TSAN_OPTIONS: 'halt_on_error=1', ASAN_OPTIONS: 'detect_leaks=1' };
  const { stdout, stderr, failed } = await run(binary, args, { env, timeout: 240_000, maxBuffer: 1 << 24 }).then(
    (output) => ({ ...output, failed: false }),
    (error) => ({ stdout: error.stdout ?? '', stderr: `${error.stderr ?? ''}\n${error.message}`, failed: true }),
  );
  /** @type {string[]} */
  const lines = stdout.split('\n');
  const passed = lines.filter((line) => line.startsWith('ok ')).length;
  const plans = lines.flatMap((line) => PLAN.exec(line)?.[1] ?? []);
  const planned = plans.reduce((sum, count) => sum + Number(count), 0);
  const broken = lines.filter((line) => /^(not ok|# .*:\d+:)/.test(line));
  const failures = failed || broken.length > 0 ? [...broken, stderr.trim()].join('\n') : '';
  return { passed, planned, failures };
}
