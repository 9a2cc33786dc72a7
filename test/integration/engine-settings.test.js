// Invalid settings are rejected when the engine is created, by an error that names the setting, before anything is
// started.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { backends, createEngine, names } from '../fixtures/hostile/engine.js';
import { configOf } from '../fixtures/hostile/leg.js';
import { skip } from '../hooks.js';

const run = promisify(execFile);
const fixture = (/** @type {string} */ name) => JSON.stringify(new URL(`../fixtures/hostile/${name}`, import.meta.url));

/** Of a process: it makes engines, with a writer thread each, and has nothing more to do. */
const MAKE_TWENTY = `
  import { readdirSync } from 'node:fs';
  import { createEngine } from ${fixture('engine.js')};
  import { configOf } from ${fixture('leg.js')};
  const [io, folder] = process.argv.slice(1);
  for (let i = 0; i < 20; i++) {
    createEngine({ ...configOf({ port: 1, io }), log: { path: folder + '/' + i, reserveBytes: 0 } }, () => {});
  }
  console.log(readdirSync(folder).length, 'logs');`;

const HTTP = { protocol: 'http', protocolBytes: new Uint8Array(1) };
const KEEP = { sendsBody: false, keepsAlive: true };

/** @type {[string, Record<string, unknown>, RegExp][]} */
const WRONG = [
  ['an unknown protocol', { protocol: 'gopher' }, /protocol/],
  ['an unknown workload', { workload: 'dance' }, /workload/],
  ['a name for an address', { endpoints: [{ address: 'localhost', port: 1 }] }, /localhost/],
  ['an address out of range', { endpoints: [{ address: '127.0.0.256', port: 1 }] }, /127\.0\.0\.256/],
  ['half an address', { endpoints: [{ address: '127.0.0', port: 1 }] }, /127\.0\.0/],
  ['an address that is nearly one', { endpoints: [{ address: '127.0.0.', port: 1 }] }, /127\.0\.0\./],
  ['a port out of range', { endpoints: [{ address: '127.0.0.1', port: 70000 }] }, /70000 is not a port/],
  ['an IPv6 address with an interface', { endpoints: [{ address: 'fe80::1%lo', port: 1 }] }, /fe80::1%lo/],
  [
    'a source of the other family',
    { endpoints: [{ address: '::1', port: 1, source: '127.0.0.1' }] },
    /not an IPv6 address/,
  ],
  ['a unix socket without a path', { endpoints: [{ address: 'unix:', port: 0 }] }, /not the path of a unix socket/],
  [
    'a path too long',
    { endpoints: [{ address: `unix:/${'x'.repeat(107)}`, port: 0 }] },
    /not the path of a unix socket/,
  ],
  ['no port', { endpoints: [{ address: '127.0.0.1', port: NaN }] }, /NaN is not a port/],
  ['a time without end', { steadyToNs: Infinity }, /steadyToNs/],
  ['an unknown io backend', { io: 'carrier pigeon' }, /"io"/],
  [
    'a log in no folder',
    { log: { path: '/no/such/folder/x.arrows', reserveBytes: 0 } },
    /no\/such\/folder.*No such file/,
  ],
  ['no endpoint', { endpoints: [] }, /"endpoints" must be one endpoint or more/],
  ['an empty payload', { payload: new Uint8Array(0) }, /the payload and the options do not fit the protocol/],
  ['a payload that is no bytes', { payload: 'abc' }, /payload/],
  ['no slots', { slots: { first: 0, stride: 1, count: 0 } }, /"count" is 0; it must be from 1 to/],
  ['a negative time', { steadyToNs: -1 }, /steadyToNs/],
  ['a time that is no number', { transferTimeoutNs: NaN }, /transferTimeoutNs/],
  ['a missing time', { connectTimeoutNs: undefined }, /connectTimeoutNs/],
  [
    'a warm-up longer than what is before the steady state',
    { steadyFromNs: 1e9, warmupNs: 2e9 },
    /"warmupNs" is 2000000000; it must be from 0 to 1000000000/,
  ],
  ['a negative time to look', { busyPollNs: -1 }, /busyPollNs/],
  ['a negative warm-up', { warmupNs: -1 }, /warmupNs/],
  ['no intervals', { intervalNs: 0 }, /"intervalNs" is 0; it must be from 1/],
  [
    'a schedule that goes back in time',
    {
      schedule: [
        { atNs: 2e9, slots: 1, line: false },
        { atNs: 1e9, slots: 2, line: false },
      ],
    },
    /a schedule that goes back in time/,
  ],
  [
    'a rate that goes back in time',
    {
      rates: [
        { atNs: 0, rate: 1, line: false },
        { atNs: 2, rate: 1, line: false },
        { atNs: 1, rate: 1, line: true },
      ],
    },
    /"rates" must be points in the order of their times/,
  ],
  [
    'a rate of nothing',
    { rates: [{ atNs: 0, rate: 0, line: false }] },
    /"rates" must be points in the order of their times/,
  ],
  [
    'a rate that begins later',
    { rates: [{ atNs: 1, rate: 1, line: false }] },
    /"rates" must be points in the order of their times/,
  ],
  ['a part of a slot', { slots: { first: 0, stride: 1, count: 1.5 } }, /"count" must be a whole number/],
  ['ids that do not advance', { slots: { first: 0, stride: 0, count: 2 } }, /"stride" is 0; it must be from 1/],
  ['ids out of range', { slots: { first: 2 ** 32 - 1, stride: 1, count: 2 } }, /"first \+ stride \* \(count - 1\)" is/],
  ['connects that never come', { connectRate: 1e-300 }, /"connectRate" is .*e-300; it must be from/],
  ['connects without end', { connectRate: Infinity }, /"connectRate" is inf; it must be from 0/],
  ['a rate without end', { rates: [{ atNs: 0, rate: Infinity, line: false }] }, /"rates\[0\]" is inf/],
  ['a rate that is no number', { rates: [{ atNs: 0, rate: NaN, line: false }] }, /"rates\[0\]" is/],
  ['slots that are no number', { schedule: [{ atNs: 0, slots: NaN, line: false }] }, /"schedule\[0\]" is/],
  ['less than no slots', { schedule: [{ atNs: 0, slots: -1, line: false }] }, /"schedule\[0\]" is -1/],
  ['too many slots', { schedule: [{ atNs: 0, slots: 2 ** 32, line: false }] }, /"schedule\[0\]" is 4294967296/],
  [
    'a point of the schedule that never comes',
    {
      schedule: [
        { atNs: 0, slots: 1, line: false },
        { atNs: Infinity, slots: 2, line: true },
      ],
    },
    /"schedule\[1\]\.atNs" is inf/,
  ],
  ['a numeric setting that is a string', { pauseNs: '1s' }, /"pauseNs" must be a number/],
  [
    'a parameter that the protocol does not have',
    { protocolParameters: { keys: 1 } },
    /"protocolParameters" must be an/,
  ],
  ['a protocol without its parameters', HTTP, /"protocolParameters" must be an object with the parameters of the/],
  ['a parameter that is missing', { ...HTTP, protocolParameters: { ...KEEP, keys: 1 } }, /"headOnly" must be true or/],
  [
    'a flag that is a number',
    { ...HTTP, protocolParameters: { ...KEEP, headOnly: 0 } },
    /"headOnly" must be true or false/,
  ],
  [
    'a parameter that is no whole number',
    { protocol: 'websocket', protocolParameters: { upgradeBytes: 1.5, frameHeadBytes: 6 } },
    /"upgradeBytes" must be a whole number/,
  ],
];

describe('engine: settings', function () {
  for (const [what, settings, message] of WRONG) {
    it(`refuses ${what}`, () => {
      const config = /** @type {any} */ ({ ...configOf({ port: 1 }), ...settings });
      assert.throws(() => createEngine(config, () => {}), message);
    });
  }

  for (const { name: io, available, why } of backends()) {
    it(`creates an engine over ${io} that is never started and does not keep its process alive`, async function () {
      if (!available) skip(this, `${io}: ${why}`);
      const folder = mkdtempSync(join(tmpdir(), 'broadside-never-'));
      try {
        const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', MAKE_TWENTY, io, folder], {
          timeout: 15_000,
        });
        assert.deepEqual([stdout, stderr], ['20 logs\n', '']);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }

  it('ends an engine that is stopped before it is started', async () => {
    const engine = createEngine(configOf({ port: 1 }), () => {});
    engine.stop();
    assert.deepEqual(await engine.done, { log: null });
  });

  it('accepts only times that leave room for a steady state and a drain', async () => {
    const engine = createEngine(configOf({ port: 1 }), () => {});
    for (const [fromNs, toNs] of [
      [-1, 5],
      [NaN, 5],
      [5, NaN],
      [5, Infinity],
      [5, 4],
    ]) {
      assert.throws(() => engine.beginSteady(fromNs, toNs), { name: 'RangeError', code: 'EINVAL' });
    }
    for (const atNs of [NaN, Infinity, 2 ** 54]) {
      assert.throws(() => engine.drain(atNs), { name: 'RangeError', code: 'EINVAL' });
    }
    engine.beginSteady(5, 5);
    engine.drain(-5);
    engine.stop();
    assert.deepEqual(await engine.done, { log: null });
  });

  it('starts an engine once', async () => {
    const engine = createEngine(configOf({ port: 1, steadyToMs: 0, drainMs: 0 }), () => {});
    assert.throws(() => engine.start(-1n), { name: 'TypeError', code: 'EINVAL' });
    engine.start(process.hrtime.bigint());
    assert.throws(() => engine.start(process.hrtime.bigint()), { code: 'EALREADY', message: /once/ });
    await engine.done;
  });

  it('does not start an engine that was stopped', async () => {
    const engine = createEngine(configOf({ port: 1 }), () => {});
    engine.stop();
    assert.throws(() => engine.start(process.hrtime.bigint()), { code: 'EALREADY', message: /has been stopped/ });
    assert.deepEqual(await engine.done, { log: null });
  });

  it('has names for everything that it counts', () => {
    for (const list of [names.counters, names.gauges, names.statuses]) assert.equal(new Set(list).size, list.length);
    assert.deepEqual(names.statuses.slice(0, 7), [
      ...['ok', 'timeout', 'reset', 'closed', 'corrupt', 'protocol', 'unfinished'],
    ]);
    assert.equal(names.counters.filter((name) => name.startsWith('rejects.')).length, 8);
    assert.equal(names.counters.filter((name) => name.startsWith('errors.')).length, 6);
  });
});
