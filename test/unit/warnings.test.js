// The table of warnings: every code has a text, made only of its data.
import assert from 'node:assert/strict';
import { UsageError } from '../../client/errors.js';
import { warning as ofAgents } from '../../client/agents/warnings.js';
import { reasonOf, warning } from '../../client/words/warnings.js';

/** Everything a text may be made of; one object serves all codes. @type {any} */
const everything = {
  condition: 'p99 > 1s',
  atNs: 12e9,
  connectRate: 1,
  byRampEnd: 12_345,
  connections: 100_000,
  rampNs: 5e9,
  neededNs: 100e9,
  key: 'rate',
  profileNs: 7e9,
  durationNs: 5e9,
  requested: { connections: 1_000_000, connectRate: null },
  possible: { connections: 900_000, connectRate: 4000 },
  limits: [{ code: 'local-ports', text: 'Few ports.' }],
  given: 3,
  used: 2,
  imbalances: [{ code: 'errors-unbalanced', text: '3 errors ended 2 connections' }],
  servers: ['epoll'],
  pattern: 'c/*',
  cause: 'no x; get x',
  missing: true,
  reason: 'ENOSPC',
  file: 'samples.ndjson',
  files: ['plan.json'],
  run: '20260101-100000-smoke',
  folder: '/nowhere',
  kept: ['transfers-0.arrows'],
  line: 'out of luck',
  signal: 'SIGSEGV',
  exitCode: 7,
  leftBehind: 2,
  lastLines: ['out of luck'],
  before: 4,
  now: 3,
  worker: 1,
  workers: [0, 1, 2, 3, 4, 5, 6, 7],
  how: 'SIGKILL',
  started: true,
  reported: true,
  open: 100_000,
  unfinished: 100_000,
  abandoned: 1234,
  repeats: true,
  openLoop: true,
  stderr: 'no memory',
  graceMs: 5000,
  readyMs: 20_000,
  payloadBytes: 256 * 1024 ** 2,
  times: 6,
  step: 'handshake',
  cores: 2,
  tenth: 3,
  share: 0.45,
  of: 2,
  spinning: 0.9,
  waiting: 0.3,
  intervals: 3,
  elapsedNs: 58e9,
  forNs: 30e9,
  transfers: 999_999,
  wanted: 1_000_000,
  phase: 'ramp',
  warmupTransfers: null,
  steadyFromNs: 2e9,
  cpus: [0, 1],
  instance: 1,
  wrapper: 'taskset -c 0',
  url: 'http://127.0.0.1:4318/v1/metrics',
  agent: 'a1',
  leg: '01-epoll',
  forMs: 10_000,
  lateNs: 3e6,
  why: 'the controller is gone',
  conditions: ['cost worse by 3%'],
  rounds: 1,
  spans: [
    { fromNs: 1e9, toNs: 3e9 },
    { fromNs: 60e9, toNs: 61e9 },
  ],
};

/** Data whose keys mean something else in a code. @type {Record<string, object>} */
const special = {
  'tls-failed': { cause: 'certificate', reason: 'CERT_HAS_EXPIRED' },
  'no-transfers': { failed: 1e6, unfinished: 1e6, unsent: 1e6, rejects: 1e6, errors: 1e6, replies: undefined },
  'log-incomplete': { missing: 1e6, reason: 'behind' },
  'server-left-out': { reason: { code: 'unavailable', data: { remedy: 'install gcc' } } },
  'nothing-to-compare-at': { at: '100 connections' },
  'not-interleaved': { at: ['100 connections'] },
};

describe('warnings', () => {
  it('have a complete text for each code', () => {
    assert.ok(warning.codes.length > 30 && ofAgents.codes.length > 5);
    const all = [
      ...warning.codes.map((code) => ({ code, make: (/** @type {any} */ data) => warning(code, data) })),
      ...ofAgents.codes.map((code) => ({ code, make: (/** @type {any} */ data) => ofAgents(code, data) })),
    ];
    for (const { code, make } of all) {
      const data = { ...everything, ...special[code] };
      const { text, severity, remedy, ...rest } = make(data);
      assert.deepEqual(rest, { code, data });
      assert.match(code, /^[a-z]+(-[a-z]+)*$/);
      assert.match(severity ?? '', /^(problem|caution|note)$/);
      assert.ok(text.length > 0 && !/undefined|null|NaN|\[object/.test(text), `${code}: ${text}`);
      // a text that is cut has a name or a message in it that is too long
      assert.ok(text.length <= 120 && !text.endsWith('…') && !text.endsWith('.'), `${code}: ${text.length}: ${text}`);
      if (remedy !== undefined) assert.match(remedy, /^[A-Z`].*\.$/, code);
    }
  });

  it('about an error keep its code', () => {
    assert.deepEqual(reasonOf(Object.assign(new Error('full'), { code: 'ENOSPC' })), {
      reason: 'full',
      errorCode: 'ENOSPC',
    });
    assert.deepEqual(reasonOf('thrown text'), { reason: 'thrown text' });
    const { errorCode, errorData } = reasonOf(new UsageError('no', { code: 'EPID', data: { serverPid: 7 } }));
    assert.deepEqual([errorCode, errorData], ['EPID', { serverPid: 7 }]);
  });
});
