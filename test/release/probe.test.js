// The conformance checks catch faults: small servers with one deliberate fault each (test/fixtures/faulty) fail exactly
// the checks that must find it, and a server without a fault passes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChecks, starter } from '../../servers/conformance/index.js';
import { until, withPatience } from '../../servers/conformance/wait.js';
import { readAll, readProcess } from '../../servers/launcher/process/process-tree.js';
import { endOf } from '../fixtures/ended-child.js';
import { requireTool } from '../skip.js';

/**
 * @import { Result } from '../../servers/conformance/index.js'
 * @import { Manifest } from '../../servers/launcher/manifest/manifest.js'
 */

const SOURCES = fileURLToPath(new URL('../fixtures/faulty', import.meta.url));
/** Just more than 1,024 descriptors. */
const CROWD = 1100;
const LITTLE_PATIENCE_MS = 700;

/** Ids of checks. */
const VECTORS = 'vectors';
const SPLIT = 'split-vectors';
const SIZES = 'sizes';
const PIPELINED = 'pipelining';
const HALF_CLOSE = 'half-close';
const BLOCKED = 'half-close-blocked';
const BROKEN = 'reset-pending-replies';
const SILENT = 'rude-clients';
const ABRUPT = 'abrupt-clients';
const MANY = 'many-connections';
const FLOOD = 'never-reads';
const IDLE_END = ['sigterm-idle', 'sigint-idle'];
const BUSY_END = ['sigterm-load', 'sigint-load'];
const AGAIN = 'restart';
const FULL = 'descriptor-limit';
const EXACTLY = 'concurrency-default';

/** @type {Record<string, string[]>} */
const OPTIONS = {
  work: ['--work', '{value}'],
  workKind: ['--work-kind', '{value}'],
  workSeed: ['--work-seed', '{value}'],
  volleyStop: ['--volley-stop'],
  idleTimeout: ['--idle-timeout', '{value}'],
};
const WORK = ['work', 'workKind', 'workSeed'];
/** Fast checks, run for every fault except those found by timeouts. */
const QUICK = [
  'ready-line',
  'invalid-arguments',
  'port-in-use',
  VECTORS,
  SPLIT,
  SIZES,
  PIPELINED,
  HALF_CLOSE,
  SILENT,
  ...IDLE_END,
  AGAIN,
];
/** The other checks, which take longer. */
const LONG = [BLOCKED, BROKEN, ABRUPT, MANY, FLOOD, ...BUSY_END, FULL];
const WORKS = ['work-times', 'work-wait', 'work-block', 'work-spin'];
const IDLES = ['idle-timeout', 'idle-timeout-work'];

/**
 * @typedef {object} Fault
 * @property {string} fault
 * @property {string[]} caught ids of the checks that must fail
 * @property {boolean} [inVain] it is found by a timeout: only the checks that must fail are run, with a short deadline
 * @property {string[] | 'all'} [tried] ids of all checks to run; default: the quick ones and those that must fail
 * @property {string} [protocol]
 * @property {string[]} [options] that its manifest has
 * @property {1 | 'unbounded'} [concurrent]
 */

/** @type {Fault[]} */
const FAULTS = [
  { fault: 'none', caught: [], tried: [...QUICK, ...LONG] },
  { fault: 'none', caught: [], tried: 'all', protocol: 'volley', options: ['volleyStop', ...WORK] },
  { fault: 'none', caught: [], tried: 'all', protocol: 'ace', options: ['idleTimeout'] },

  { fault: 'flips-a-bit', caught: [SIZES, PIPELINED, HALF_CLOSE, BLOCKED, FLOOD] },
  { fault: 'leaks-descriptors', caught: [ABRUPT], inVain: true },
  { fault: 'dies-of-sigpipe', caught: [BROKEN] },
  { fault: 'eof-drops-owed', caught: [BLOCKED] },
  { fault: 'only-1024', caught: [MANY] },
  { fault: 'emfile-silent', caught: [FULL], inVain: true },
  { fault: 'emfile-spins', caught: [FULL] },

  { fault: 'takes-anything', caught: ['invalid-arguments'] },
  { fault: 'says-no-reason', caught: ['port-in-use'] },
  { fault: 'says-localhost', caught: ['ready-line'] },
  { fault: 'no-reuse', caught: [AGAIN] },
  { fault: 'ends-with-3', caught: [...IDLE_END, ...BUSY_END] },
  { fault: 'leaves-a-child', caught: IDLE_END, inVain: true },

  { fault: 'one-at-a-time', caught: [], tried: [...QUICK, ...LONG, EXACTLY], concurrent: 1 },
  { fault: 'one-at-a-time', caught: [SILENT], inVain: true },
  { fault: 'two-at-once', caught: [EXACTLY], concurrent: 1 },

  { fault: 'whole-words-only', caught: [SPLIT], tried: [SPLIT], protocol: 'volley' },
  { fault: 'no-wrap', caught: [VECTORS, SPLIT], protocol: 'volley' },
  { fault: 'zero-stops', caught: [], tried: [VECTORS, SPLIT, 'volley-zero'], protocol: 'volley' },
  { fault: 'zero-is-wrong', caught: ['volley-zero'], tried: [VECTORS, 'volley-zero'], protocol: 'volley' },
  { fault: 'stops-with-1', caught: ['volley-stop'], protocol: 'volley', options: ['volleyStop'] },
  { fault: 'keeps-messages', caught: ['ace-large-message'], protocol: 'ace' },
  { fault: 'always-little', caught: [VECTORS, 'ace-byte-order'], protocol: 'ace', inVain: true },

  { fault: 'always-least', caught: ['work-times'], tried: WORKS, options: WORK },
  { fault: 'spins-asleep', caught: ['work-spin'], tried: WORKS.slice(1), options: WORK },
  { fault: 'blocks-nobody', caught: ['work-block'], tried: WORKS.slice(1), options: WORK },
  { fault: 'blocks-awake', caught: ['work-block'], tried: WORKS.slice(1), options: WORK },
  { fault: 'waits-blocked', caught: ['work-wait'], tried: WORKS.slice(1), options: WORK },
  { fault: 'closes-talkers', caught: ['idle-timeout'], tried: IDLES, options: ['idleTimeout', ...WORK] },
  { fault: 'idles-at-work', caught: ['idle-timeout-work'], tried: IDLES, options: ['idleTimeout', ...WORK] },
];

describe('the conformance checks', function () {
  this.timeout(120_000);
  /** @type {string} */
  let folder;
  before(async function () {
    requireTool(this, 'cc', 'gcc');
    folder = mkdtempSync(join(tmpdir(), 'broadside-faulty-'));
    const sources = readdirSync(SOURCES)
      .filter((name) => name.endsWith('.c'))
      .map((name) => join(SOURCES, name));
    const words = ['-std=c11', '-D_GNU_SOURCE', '-O1', '-o', join(folder, 'faulty'), ...sources];
    assert.deepEqual(await endOf('cc', words), { status: 0, stdout: '', stderr: '' });
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** @param {Fault} fault @returns {Promise<Result[]>} */
  const probe = async ({ fault, caught, inVain, tried, protocol = 'echo', options = [], concurrent }) => {
    const ids = tried ?? (inVain ? caught : [...QUICK, ...caught]);
    const only = ids === 'all' ? undefined : new RegExp(`^(${ids.join('|')})$`);
    const run = [join(folder, 'faulty'), '--fault', fault, '--port', '{port}', '--protocol', '{protocol}'];
    const manifest = /** @type {Manifest} */ ({
      name: 'faulty',
      language: 'c',
      model: 'poll',
      description: '',
      protocols: [protocol],
      ready: 'line',
      run,
      concurrent: concurrent ?? 'unbounded',
      surplus: 'backlog',
      scales: 'none',
      options: Object.fromEntries(options.map((key) => [key, OPTIONS[key]])),
    });
    return runChecks({ start: starter({ run, protocol, ready: 'line' }), protocol, manifest, only, crowd: CROWD });
  };

  describe('detect faults, each by exactly the right checks', () => {
    // one after another, because this process measures times
    for (const fault of FAULTS.filter(({ inVain }) => !inVain)) {
      it(titleOf(fault), async () => judge(fault, await probe(fault)));
    }
  });

  describe('detect faults that make a check time out', () => {
    for (const fault of FAULTS.filter(({ inVain }) => inVain)) {
      it(titleOf(fault), async () => judge(fault, await withPatience(LITTLE_PATIENCE_MS, () => probe(fault))));
    }
  });

  it('leave nothing running, whatever a server does', async () => {
    await withPatience(LITTLE_PATIENCE_MS, () =>
      Promise.all(
        ['ignores-sigterm', 'leaves-a-child', 'ends-when-all-left'].map((fault) =>
          probe({ fault, caught: [IDLE_END[0]], inVain: true }),
        ),
      ),
    );
    assert.deepEqual(
      readAll().filter(({ pid }) => programOf(pid).startsWith(folder)),
      [],
    );
  });

  it('are skipped if they need a manifest and there is none', async () => {
    const run = ['/bin/sh', '-c', `exec ${folder}/faulty --port {port} --protocol {protocol}`];
    const start = starter({ run, protocol: 'volley', ready: 'connection' });
    /** @type {string[]} */
    const reported = [];
    const results = await runChecks({
      start,
      protocol: 'volley',
      manifest: null,
      crowd: CROWD,
      onResult: ({ id }) => reported.push(id),
    });
    assert.deepEqual(
      results.filter(({ ok }) => !ok),
      [],
    );
    assert.deepEqual(
      results.map(({ id }) => id),
      reported,
    );
    const skipped = results.filter((result) => result.skipped);
    assert.ok(skipped.every((result) => result.skipped?.code === 'no-manifest'));
    const ids = skipped.map(({ id }) => id);
    for (const id of ['ready-line', 'invalid-arguments', 'work-wait', 'volley-stop']) assert.ok(ids.includes(id), id);
    assert.ok(results.length - skipped.length > 10);
    assert.equal(new Set(reported).size, reported.length, 'every check has its own id');
  });

  it('report why a server cannot be started', async () => {
    const start = starter({
      run: ['/bin/sh', '-c', 'echo no luck >&2; exit 7'],
      protocol: 'echo',
      ready: 'connection',
    });
    const [{ ok, failure }] = await runChecks({ start, protocol: 'echo', manifest: null, only: /^vectors$/ });
    assert.equal(ok, false);
    assert.equal(failure?.code, 'ended-early');
    assert.deepEqual(failure.data, { exitCode: 7, signal: null, stderr: 'no luck\n' });
    const none = starter({ run: ['/nowhere/at/all'], protocol: 'echo', ready: 'line' });
    const error = await none().catch((each) => each);
    assert.deepEqual([error.code, error.ending.code], ['ended-early', 127]);
  });

  it('leave nothing running when their process is killed', async () => {
    const module = new URL('../../servers/conformance/index.js', import.meta.url);
    const text = `const { starter } = await import(${JSON.stringify(module.href)});
      const run = [${JSON.stringify(join(folder, 'faulty'))}, '--fault', 'leaves-a-child', '--port', '{port}'];
      const { pid } = await starter({ run, protocol: 'echo', ready: 'line' })();
      console.log(pid);
      setInterval(() => {}, 1000);`;
    const words = ['--input-type=module', '-e', text];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    assert.ok((readProcess(Number(line))?.threads ?? 0) > 0, `process ${line}`);
    child.kill('SIGKILL');
    await until(() => readAll().every(({ pid }) => !programOf(pid).startsWith(folder)), 'the end of the server');
  });
});

/** @param {Fault} fault */
function titleOf({ fault, protocol = 'echo', caught, concurrent, options = [] }) {
  const labels = [protocol, ...options, ...(concurrent ? [`${concurrent} at once`] : [])].join(', ');
  return `${fault} (${labels}): ${caught.length === 0 ? 'nothing' : `${caught.length} of them`}`;
}

/**
 * @param {Fault} fault
 * @param {Result[]} all
 */
function judge({ caught }, all) {
  assert.ok(all.length > 0, 'no check was run');
  const failed = all.filter(({ ok }) => !ok);
  for (const id of caught) {
    assert.equal(all.filter((result) => result.id === id).length, 1, `checks with the id ${id}`);
    assert.ok(
      failed.some((result) => result.id === id),
      `the check ${id} did not fail`,
    );
  }
  const others = failed.filter(({ id }) => !caught.includes(id));
  assert.deepEqual(others, [], 'also failed');
}

/** @param {number} pid */
function programOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0];
  } catch {
    return '';
  }
}
