// That the conformance probe catches faults: small servers that are deliberately wrong in one thing
// (test/fixtures/faulty), and which checks find it. The one thing to know: a server without a fault passes, and of the
// checks that are tried every one that is to fail does, and no other.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChecks, starter } from '../../servers/conformance/index.js';
import { setPatience, until } from '../../servers/conformance/wait.js';
import { readAll, readProcess } from '../../servers/launcher/process/process-tree.js';
import { sideBySide } from '../fixtures/side-by-side.js';
import { requireTool } from '../hooks.js';

const SOURCES = fileURLToPath(new URL('../fixtures/faulty', import.meta.url));
/** More than 1,024 descriptors, and no more than it takes. */
const CROWD = 1100;
const PATIENCE_MS = 10_000;
const LITTLE_PATIENCE_MS = 700;

/** What the checks of the table are recognised by. */
const VECTORS = 'golden vectors';
const SPLIT = 'split at any byte';
const SIZES = 'whatever the fragments';
const PIPELINED = 'before the first reply';
const HALF_CLOSE = 'gives a half-closed client all its replies, then';
const BLOCKED = 'although it could not send';
const BROKEN = 'resets while replies';
const SILENT = 'goes on after clients that';
const ABRUPT = 'abrupt clients';
const MANY = `serves ${CROWD.toLocaleString('en')}`;
const FLOOD = 'never read';
const IDLE_END = ['SIGTERM with 0, idle', 'SIGINT with 0, idle'];
const BUSY_END = ['SIGTERM with 0, under load', 'SIGINT with 0, under load'];
const AGAIN = 'starts again';
const FULL = 'out of descriptors';
const EXACTLY = 'serves exactly';

/** @type {Record<string, string[]>} */
const OPTIONS = {
  work: ['--work', '{value}'],
  workKind: ['--work-kind', '{value}'],
  workSeed: ['--work-seed', '{value}'],
  volleyStop: ['--volley-stop'],
  idleTimeout: ['--idle-timeout', '{value}'],
};
const WORK = ['work', 'workKind', 'workSeed'];
/** Checks that take no time; every fault that does not make them wait in vain is held to them too. */
const QUICK = [
  'says where it is',
  'refuses what it does not know',
  'when the port is taken',
  VECTORS,
  SPLIT,
  SIZES,
  PIPELINED,
  HALF_CLOSE,
  SILENT,
  ...IDLE_END,
  AGAIN,
];
/** The others, which show what they show and take longer. */
const LONG = [BLOCKED, BROKEN, ABRUPT, MANY, FLOOD, ...BUSY_END, FULL];
const WORKS = ['draws the times', 'works by wait', 'works by block', 'works by spin'];
const IDLES = ['nobody who talks', 'not take for idle'];

/**
 * @typedef {object} Fault
 * @property {string} fault
 * @property {string[]} caught by the checks whose names hold these
 * @property {boolean} [inVain] it shows by what never comes: only what catches it is tried, with little patience
 * @property {string[]} [tried] all checks that are tried; else the quick ones and those that catch it
 * @property {string} [protocol]
 * @property {string[]} [options] that its manifest has
 * @property {1 | 'unbounded'} [concurrent]
 */

/** @type {Fault[]} */
const FAULTS = [
  { fault: 'none', caught: [], tried: [...QUICK, ...LONG] },
  { fault: 'none', caught: [], tried: [''], protocol: 'volley', options: ['volleyStop', ...WORK] },
  { fault: 'none', caught: [], tried: [''], protocol: 'ace', options: ['idleTimeout'] },

  { fault: 'drops-a-byte', caught: [SIZES, HALF_CLOSE], inVain: true },
  { fault: 'flips-a-bit', caught: [SIZES, PIPELINED, HALF_CLOSE, BLOCKED, FLOOD, ...BUSY_END] },
  { fault: 'leaks-descriptors', caught: [ABRUPT], inVain: true },
  { fault: 'leaks-memory', caught: [ABRUPT] },
  { fault: 'leaks-threads', caught: [ABRUPT], inVain: true },
  { fault: 'dies-of-sigpipe', caught: [BROKEN] },
  { fault: 'drops-what-blocks', caught: [FLOOD] },
  { fault: 'buffers-all', caught: [BLOCKED], inVain: true },
  { fault: 'eof-drops-owed', caught: [BLOCKED] },
  { fault: 'never-closes', caught: [HALF_CLOSE], inVain: true },
  { fault: 'only-1024', caught: [MANY] },
  { fault: 'emfile-dies', caught: [FULL], inVain: true },
  { fault: 'emfile-silent', caught: [FULL], inVain: true },
  { fault: 'emfile-says-often', caught: [FULL] },
  { fault: 'emfile-spins', caught: [FULL] },

  { fault: 'takes-anything', caught: ['refuses what it does not know'] },
  { fault: 'says-no-reason', caught: ['when the port is taken'] },
  { fault: 'says-localhost', caught: ['says where it is'] },
  { fault: 'no-reuse', caught: [AGAIN] },
  { fault: 'ignores-sigterm', caught: [IDLE_END[0], AGAIN], inVain: true },
  { fault: 'ends-with-3', caught: [...IDLE_END, ...BUSY_END] },
  { fault: 'ends-when-all-left', caught: [...IDLE_END, AGAIN], inVain: true },
  { fault: 'leaves-a-child', caught: IDLE_END, inVain: true },

  { fault: 'one-at-a-time', caught: [], tried: [...QUICK, ...LONG, EXACTLY], concurrent: 1 },
  { fault: 'one-at-a-time', caught: [SILENT], inVain: true },
  { fault: 'two-at-once', caught: [EXACTLY], concurrent: 1 },
  { fault: 'closes-the-second', caught: [SILENT, EXACTLY], concurrent: 1 },

  { fault: 'whole-words-only', caught: [SPLIT], tried: [SPLIT], protocol: 'volley' },
  { fault: 'first-word-only', caught: [VECTORS, SPLIT, PIPELINED], protocol: 'volley', inVain: true },
  { fault: 'no-wrap', caught: [VECTORS, SPLIT], protocol: 'volley' },
  { fault: 'zero-stops', caught: [VECTORS, SPLIT], protocol: 'volley' },
  { fault: 'stops-with-1', caught: ['ends at a word of zero'], protocol: 'volley', options: ['volleyStop'] },
  { fault: 'keeps-messages', caught: ['2^32 - 1 bytes'], protocol: 'ace' },
  { fault: 'always-little', caught: [VECTORS, 'byte order'], protocol: 'ace', inVain: true },
  { fault: 'zero-is-for-ever', caught: [VECTORS], protocol: 'ace', inVain: true },

  { fault: 'always-least', caught: ['draws the times'], tried: WORKS, options: WORK },
  { fault: 'replies-early', caught: WORKS, options: WORK },
  { fault: 'spins-asleep', caught: ['works by spin'], tried: WORKS.slice(1), options: WORK },
  { fault: 'blocks-nobody', caught: ['works by block'], tried: WORKS.slice(1), options: WORK },
  { fault: 'waits-blocked', caught: ['works by wait'], tried: WORKS.slice(1), options: WORK },
  { fault: 'closes-talkers', caught: ['nobody who talks'], tried: IDLES, options: ['idleTimeout', ...WORK] },
  { fault: 'idles-at-work', caught: ['not take for idle'], tried: IDLES, options: ['idleTimeout', ...WORK] },
];

/** Those of the default tier: one of each kind of checks. */
const QUICK_FAULTS = ['flips-a-bit', 'drops-a-byte', 'ends-with-3', 'takes-anything', 'no-wrap', 'keeps-messages'];

describe('the conformance probe', function () {
  this.timeout(120_000);
  /** @type {string} */
  let folder;
  before(function () {
    requireTool(this, 'cc', 'gcc');
    folder = mkdtempSync(join(tmpdir(), 'broadside-faulty-'));
    const sources = readdirSync(SOURCES)
      .filter((name) => name.endsWith('.c'))
      .map((name) => join(SOURCES, name));
    execFileSync('cc', ['-std=c11', '-D_GNU_SOURCE', '-O1', '-pthread', '-o', join(folder, 'faulty'), ...sources]);
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** @param {Fault} fault @returns {Promise<import('../../servers/conformance/index.js').Result[]>} */
  const probe = async ({ fault, caught, inVain, tried, protocol = 'echo', options = [], concurrent }) => {
    const names = tried ?? (inVain ? caught : [...QUICK, ...caught]);
    const only = new RegExp(names.map((part) => part.replace(/[\^.+-]/g, '\\$&')).join('|'));
    const run = [join(folder, 'faulty'), '--fault', fault, '--port', '{port}', '--protocol', '{protocol}'];
    const manifest = /** @type {import('../../servers/conformance/index.js').Manifest} */ ({
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

  describe('catches by exactly the right checks', () => {
    // one by one: times are measured, from this process
    for (const fault of FAULTS.filter(({ inVain }) => !inVain)) {
      const add = isQuick(fault) ? it : it.slow;
      add(titleOf(fault), async () => judge(fault, await probe(fault)));
    }
  });

  describe('that wait in vain', () => {
    const it = sideBySide({ ahead: false });
    before(() => setPatience(LITTLE_PATIENCE_MS)); // it is that of the whole process
    after(() => setPatience(PATIENCE_MS));
    for (const fault of FAULTS.filter(({ inVain }) => inVain)) {
      const add = isQuick(fault) ? it : it.slow;
      add(titleOf(fault), async () => judge(fault, await probe(fault)));
    }
  });

  it('leaves nothing running, whatever a server does', async () => {
    setPatience(LITTLE_PATIENCE_MS);
    try {
      await Promise.all(
        ['ignores-sigterm', 'leaves-a-child', 'ends-when-all-left'].map((fault) =>
          probe({ fault, caught: [IDLE_END[0]], inVain: true }),
        ),
      );
    } finally {
      setPatience(PATIENCE_MS);
    }
    assert.deepEqual(
      readAll().filter(({ pid }) => programOf(pid).startsWith(folder)),
      [],
    );
  });

  it.slow('leaves out, and says so, what it cannot ask of a command without a manifest', async () => {
    const run = ['/bin/sh', '-c', `exec ${folder}/faulty --port {port} --protocol {protocol}`];
    const start = starter({ run, protocol: 'volley', ready: 'exchange' });
    /** @type {string[]} */
    const told = [];
    const results = await runChecks({
      start,
      protocol: 'volley',
      manifest: null,
      crowd: CROWD,
      onResult: ({ name }) => told.push(name),
    });
    assert.deepEqual(
      results.filter(({ ok }) => !ok),
      [],
    );
    assert.deepEqual(
      results.map(({ name }) => name),
      told,
    );
    const leftOut = results.filter(({ skipped }) => skipped);
    assert.ok(leftOut.every(({ skipped }) => /^it has no manifest/.test(skipped ?? '')));
    for (const part of ['kernel picked', 'refuses what it does not know', 'works by', 'word of zero']) {
      assert.ok(
        leftOut.some(({ name }) => name.includes(part)),
        part,
      );
    }
    assert.ok(results.length - leftOut.length > 10);
  });

  it('says why a server cannot be started', async () => {
    const start = starter({ run: ['/bin/sh', '-c', 'echo no luck >&2; exit 7'], protocol: 'echo', ready: 'exchange' });
    const [{ ok, why }] = await runChecks({ start, protocol: 'echo', manifest: null, only: /golden/ });
    assert.equal(ok, false);
    assert.match(why ?? '', /ended with exit status 7 before it was ready: no luck/);
    const none = starter({ run: ['/nowhere/at/all'], protocol: 'echo', ready: 'line' });
    await assert.rejects(none(), /\/nowhere\/at\/all ended with exit status 127/);
  });

  it('leaves nothing running when it is killed itself', async () => {
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
function isQuick({ fault, protocol = 'echo' }) {
  return QUICK_FAULTS.includes(fault) || (fault === 'none' && protocol === 'echo');
}

/** @param {Fault} fault */
function titleOf({ fault, protocol = 'echo', caught, concurrent, options = [] }) {
  const told = [protocol, ...options, ...(concurrent ? [`${concurrent} at once`] : [])].join(', ');
  return `${fault} (${told}): ${caught.length === 0 ? 'nothing' : `${caught.length} of them`}`;
}

/**
 * @param {Fault} fault
 * @param {import('../../servers/conformance/index.js').Result[]} all
 */
function judge({ caught }, all) {
  assert.ok(all.length > 0, 'no check was run');
  const failed = all.filter(({ ok }) => !ok);
  for (const part of caught) {
    assert.equal(all.filter(({ name }) => name.includes(part)).length, 1, `checks called "${part}"`);
    assert.ok(
      failed.some(({ name }) => name.includes(part)),
      `nothing was caught by "${part}"`,
    );
  }
  const others = failed.filter(({ name }) => !caught.some((part) => name.includes(part)));
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
