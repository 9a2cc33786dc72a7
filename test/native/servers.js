/**
 * Compiles the tests of the C servers' protocols and parts, and fuzzes the protocols. The one thing to know: the golden
 * vectors of servers/conformance/vectors/ are the tests' expectations and the fuzzers' first inputs; corpus/ holds
 * inputs that reach what the vectors do not (corpus.js finds them).
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compileObjects, link } from './compile-cache.js';
import { CC } from './core.js';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const servers = fileURLToPath(new URL('../../servers/c', import.meta.url));
const wire = fileURLToPath(new URL('../../servers/conformance/vectors', import.meta.url));

const WARNINGS = ['-Wall', '-Wextra', '-Wshadow', '-Wconversion', '-Wmissing-prototypes', '-Werror'];

const protocols = ['ace', 'echo', 'http', 'list', 'volley'].map((name) => path.join(servers, `protocols/${name}.c`));
const talk = ['server_session.c', 'server_http.c'].map((file) => path.join(here, file));

/** What each test program is made of. @type {Record<string, {files: string[], flags: string[]}>} */
const PROGRAMS = {
  server_parts: {
    files: ['frame/duration.c', 'frame/work.c', 'parts/input_buffer.c', 'parts/timer_heap.c'].map((file) =>
      path.join(servers, file),
    ),
    flags: ['-pthread', '-Wl,--wrap=realloc'],
  },
  server_pool: {
    files: [path.join(servers, 'parts/pool.c')],
    flags: [
      '-pthread',
      ...['mutex_lock', 'cond_wait', 'cond_signal', 'cond_broadcast'].map((name) => `-Wl,--wrap=pthread_${name}`),
    ],
  },
  server_protocols: { files: [...talk, ...protocols], flags: [] },
};

/** Each with the wire protocol that it speaks. */
export const PARSERS = { echo: 'echo', volley: 'volley', volley_stop: 'volley', ace: 'ace', http: 'http' };

/** @typedef {keyof typeof PARSERS} Parser */

/** Inputs of the fuzzers are no longer than this; what is longer is said by repeating. */
const INPUT_BYTES = 600;

/**
 * @typedef {object} Vector
 * @property {string} name
 * @property {string[]} send pieces, hexadecimal
 * @property {boolean} [closes]
 * @property {string} [receive] hexadecimal
 * @property {{status: number, connection: string}[]} [replies]
 */

/** @param {string} protocol @returns {Vector[]} */
const vectorsOf = (protocol) => JSON.parse(readFileSync(path.join(wire, `${protocol}.json`), 'utf8')).vectors;

/**
 * @param {keyof typeof PROGRAMS} program
 * @param {string[]} flags of the variant
 * @returns {Promise<string>} the binary's path
 */
export async function compileServerTest(program, flags) {
  const { files, flags: own } = PROGRAMS[program];
  const options = ['-std=c11', '-D_GNU_SOURCE', '-O1', ...WARNINGS, ...flags, ...own];
  const tests = ['check.c', `test_${program}.c`].map((file) => path.join(here, file));
  const objects = await compileObjects(CC, [...tests, ...files], options);
  return link(CC, objects, [...flags, ...own], []);
}

/** @param {string} folder @returns {string} a file of all vectors, as test_server_protocols.c reads them */
export function writeVectors(folder) {
  const lines = [...new Set(Object.values(PARSERS))].flatMap((protocol) =>
    vectorsOf(protocol).map(({ name, send, closes, receive, replies }) =>
      [
        ...[protocol, name, send.join(''), closes ? 1 : 0],
        receive ?? replies?.map(({ status, connection }) => `${status} ${connection}`).join(),
      ].join('\t'),
    ),
  );
  const heads = HEADS.map(({ hex, replies, text }) =>
    ['http', JSON.stringify(text), hex, replies.endsWith('close') ? 1 : 0, replies].join('\t'),
  );
  const file = path.join(folder, 'vectors.txt');
  writeFileSync(file, `${[...lines, ...heads].join('\n')}\n`);
  return file;
}

/** @param {Parser} parser @returns {string} the file of its inputs, hexadecimal */
export const corpusOf = (parser) => path.join(here, 'corpus', `${parser}.json`);

const HEAD_MOST = 8192;
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: a\r\n';

/** Heads at the edges of what is right, beyond the vectors, which servers of any HTTP library must agree upon. */
const HEADS = [
  ['GET / HTTP/1.1\nHost:\n\n', '200 keep-alive'], // the shortest: its replies fill most
  [`${GET}Connection: x , close\r\n\r\n`, '200 close'],
  [`${GET}Connection: clos ,close\r\n\r\n`, '200 close'],
  [`${GET}Connection: close x\r\n\r\n`, '200 keep-alive'],
  [`${GET}Connection:\tCLOSE \t\r\n\r\n`, '200 close'],
  [`${GET}Connection: ,,close\r\n\r\n`, '200 close'],
  [`${GET}Connection: closed\r\nConnection: clos\r\nConnection:\r\n\r\n`, '200 keep-alive'],
  [`${GET}Connection: x\r\nconnection: close\r\n\r\n`, '200 close'],
  ['GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n', '200 close'],
  ['GET / HTTP/1.0\r\nConnection: keep-alive2\r\n\r\n', '200 close'],
  [`${GET}Content-Length: 00\r\nContent-Length:0 \r\n\r\n`, '200 keep-alive'],
  [`${GET}Content-Length: 0 0\r\n\r\n`, '400 close'],
  [`${GET}Content-Length:\r\n\r\n`, '400 close'],
  [`${GET}Content-Length: +0\r\n\r\n`, '400 close'],
  [`${GET}Content-Length: 0, 0\r\n\r\n`, '400 close'],
  [`${GET}Content-Length: 010\r\n\r\n`, '413 close'],
  ['GET / HTTP/1.1\r\nContent-Length: 1\r\n\r\n', '400 close'],
  [`${POST}Content-Length: 4294967295\r\n\r\nabc`, ''],
  [`${POST}Content-Length: 4294967296\r\n\r\nabc`, '413 close'],
  [`${POST}Content-Length: 99999999999999999999999\r\n\r\nabc`, '413 close'],
  [`${POST}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`, '400 close'],
  [`${POST}Content-Length: 0\r\nContent-Length: 1\r\n\r\na`, '400 close'],
  [`${POST}Content-Length: 1\r\nContent-Length: 0\r\n\r\na`, '400 close'],
  [
    `${POST}Content-Length: 0\r\n\r\n${POST}Content-Length: 2\r\n\r\n\r\n${POST}\r\n`,
    '200 keep-alive,200 keep-alive,200 keep-alive',
  ],
  ['POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\nabcGET', '200 close'],
  ['HEAD / HTTP/1.0\r\n\r\n', '200 close'],
  ['HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n', '413 close'],
  ['head / HTTP/1.1\r\nHost: a\r\n\r\n', '405 close'],
  ['POSTS / HTTP/1.1\r\nHost: a\r\n\r\n', '405 close'],
  ['PUT / HTTP/1.1\r\nHost: a\r\n\r\n', '405 close'],
  [`${GET}X: \x01\r\n\r\n`, '400 close'],
  [`${GET}X: \x80\xff\t\r\n\r\n`, '200 keep-alive'],
  [`${GET}X: a\rb\r\n\r\n`, '400 close'],
  [`${GET}X: ${'a'.repeat(HEAD_MOST - GET.length - 7)}\r\n\r\n`, '200 keep-alive'],
  [`${GET}X: ${'a'.repeat(HEAD_MOST - GET.length - 6)}\r\n\r\n`, '431 close'],
  [`${GET}: a\r\n\r\n`, '400 close'],
  [`${GET} X: a\r\n\r\n`, '400 close'],
  [`${GET}\rX`, '400 close'],
  ['GET / HTTP/1.1\r\nHosts: a\r\nHos: a\r\n\r\n', '400 close'],
  ['GET  / HTTP/1.1\r\nHost: a\r\n\r\n', '400 close'],
  ['GET /\x7f HTTP/1.1\r\nHost: a\r\n\r\n', '400 close'],
  ['get / HTTP/1.1\r\nHost: a\r\n\r\n', '405 close'],
  ['GETS / HTTP/1.1\r\nHost: a\r\n\r\n', '405 close'],
  [' GET / HTTP/1.1\r\nHost: a\r\n\r\n', '400 close'],
  ['GET / HTTP/1.10\r\nHost: a\r\n\r\n', '400 close'],
  ['GET / HTTP/1.2\r\nHost: a\r\n\r\n', '505 close'],
  ['GET / http/1.1\r\nHost: a\r\n\r\n', '400 close'],
].map(([text, replies]) => ({ hex: Buffer.from(text, 'latin1').toString('hex'), replies, text }));

/** @param {Parser} parser @returns {string[]} hexadecimal; fuzz_server.c says what an input is */
export function inputsOfVectors(parser) {
  const cuts = ['0000', '0002030a', '0f0105', '0f0100']; // each byte; 3, then 10; filled, by 5 times FILLED; by all
  const streams = vectorsOf(PARSERS[parser]).map(({ send }) => send.join(''));
  if (parser === 'http') streams.push(...HEADS.map(({ hex }) => hex));
  return streams.flatMap((hex) => cuts.map((cut) => cut + hex)).filter(({ length }) => length <= 2 * INPUT_BYTES);
}

/** @param {Parser} parser @returns {Buffer[]} */
function firstInputs(parser) {
  const kept = JSON.parse(readFileSync(corpusOf(parser), 'utf8'));
  return [...inputsOfVectors(parser), ...kept].map((hex) => Buffer.from(hex, 'hex'));
}

/** @param {string} folder to put the binary in @returns {Promise<string>} the fuzzer of all parsers */
export async function compileFuzzer(folder) {
  const binary = path.join(folder, 'fuzz-server');
  const flags = ['-std=c11', '-D_GNU_SOURCE', '-g', '-O1', '-fsanitize=fuzzer,address,undefined'];
  const files = [path.join(here, 'fuzz_server.c'), ...talk, ...protocols];
  await run('clang', [...flags, '-fno-sanitize-recover=all', ...files, '-o', binary]);
  return binary;
}

/**
 * @param {string} binary of compileFuzzer
 * @param {Parser} parser
 * @param {string} folder for a folder of inputs and what it finds
 * @param {number | null} seconds null: only the first inputs, once each
 * @returns {Promise<{runs: number, read: number, inputs: string}>} read: inputs that it began with; inputs: the folder
 *   of these and of those it kept; rejects with what it found
 */
export async function fuzzServer(binary, parser, folder, seconds) {
  const inputs = path.join(folder, `inputs-${parser}`);
  mkdirSync(inputs);
  firstInputs(parser).forEach((input, i) => writeFileSync(path.join(inputs, String(i)), input));
  const limit = seconds === null ? '-runs=0' : `-max_total_time=${seconds}`;
  const options = [limit, `-max_len=${INPUT_BYTES}`, '-print_final_stats=1', inputs];
  const env = { ...process.env, FUZZED: parser };
  const { stderr } = await run(binary, options, { cwd: folder, env, maxBuffer: 1 << 24 });
  return {
    runs: Number(/number_of_executed_units: (\d+)/.exec(stderr)?.[1] ?? 0),
    read: Number(/(\d+) files found in/.exec(stderr)?.[1] ?? 0),
    inputs,
  };
}

/**
 * @param {string} binary
 * @param {Parser} parser
 * @param {string} inputs a folder of them
 * @returns {Promise<string[]>} so few of them that reach all that they reach, hexadecimal
 */
export async function leastInputs(binary, parser, inputs) {
  const least = `${inputs}-least`;
  mkdirSync(least);
  const options = ['-merge=1', `-max_len=${INPUT_BYTES}`, least, inputs];
  await run(binary, options, { env: { ...process.env, FUZZED: parser }, maxBuffer: 1 << 24 });
  return readdirSync(least)
    .sort()
    .map((name) => readFileSync(path.join(least, name)).toString('hex'));
}
