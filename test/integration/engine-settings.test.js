// Invalid settings are rejected when the engine is created, by an error that names the setting, before anything is
// started.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { engineKeys } from '../../client/scenario/engine-keys.js';
import { createEngine } from '../fixtures/hostile/engine.js';
import { configOf } from '../fixtures/hostile/leg.js';

const run = promisify(execFile);
const fixture = (/** @type {string} */ name) => JSON.stringify(new URL(`../fixtures/hostile/${name}`, import.meta.url));

/** Of a process: it makes engines, with a writer thread each, and has nothing more to do. */
const MAKE_TWENTY = `
  import { readdirSync } from 'node:fs';
  import { createEngine } from ${fixture('engine.js')};
  import { configOf } from ${fixture('leg.js')};
  const [folder] = process.argv.slice(1);
  for (let i = 0; i < 20; i++) {
    createEngine({ ...configOf({ port: 1 }), log: { path: folder + '/' + i, reserveBytes: 0 } }, () => {});
  }
  console.log(readdirSync(folder).length, 'logs');`;

const HTTP = { protocol: 'http', protocolBytes: new Uint8Array(1) };
const KEEP = { requests: 1 };

/** A setting of another type, or one that depends on others. @param {string} setting */
const wrong = (setting) => ({ name: 'TypeError', data: { setting } });
/** A number out of its range. @param {string} setting @param {number} value @param {number} min @param {number} max */
const outside = (setting, value, min, max) => ({ name: 'RangeError', data: { setting, value, min, max } });
/** A name that is not known. @param {string} setting @param {string} value */
const unknown = (setting, value) => ({ name: 'RangeError', data: { setting, value } });
/**
 * @param {Record<string, unknown>} endpoint @param {string} setting of it @param {unknown} value
 * @returns {[Record<string, unknown>, object]} the settings, and the error
 */
const place = (endpoint, setting, value) => [
  { endpoints: [{ address: '127.0.0.1', port: 1, ...endpoint }] },
  { name: 'TypeError', data: { setting: `endpoints[0].${setting}`, value } },
];

const NS_MAX = 2 ** 53;
const U32_MAX = 2 ** 32 - 1;
const I32_MAX = 2 ** 31 - 1;
const at = (/** @type {number} */ atNs, /** @type {object} */ more) => ({ atNs, line: false, ...more });

/** What is wrong, the settings, and the error but for its code. @type {[string, Record<string, unknown>, object][]} */
const WRONG = [
  ['an unknown protocol', { protocol: 'gopher' }, unknown('protocol', 'gopher')],
  ['an unknown workload', { workload: 'dance' }, unknown('workload', 'dance')],
  ['a name for an address', ...place({ address: 'localhost' }, 'address', 'localhost')],
  ['an address out of range', ...place({ address: '127.0.0.256' }, 'address', '127.0.0.256')],
  ['half an address', ...place({ address: '127.0.0' }, 'address', '127.0.0')],
  ['an address that is nearly one', ...place({ address: '127.0.0.' }, 'address', '127.0.0.')],
  ['a port out of range', ...place({ port: 70000 }, 'port', 70000)],
  ['an IPv6 address with an interface', ...place({ address: 'fe80::1%lo' }, 'address', 'fe80::1%lo')],
  ['a source of the other family', ...place({ address: '::1', source: '127.0.0.1' }, 'source', '127.0.0.1')],
  ['a unix socket without a path', ...place({ address: 'unix:', port: 0 }, 'address', '')],
  ['a path too long', ...place({ address: `unix:/${'x'.repeat(107)}`, port: 0 }, 'address', `/${'x'.repeat(107)}`)],
  ['no port', ...place({ port: NaN }, 'port', NaN)],
  ['a time without end', { steadyToNs: Infinity }, outside('steadyToNs', Infinity, 0, NS_MAX)],
  ['an unknown transport', { transport: 'pigeon' }, unknown('transport', 'pigeon')],
  ['unknown arrivals', { arrivals: 'late' }, unknown('arrivals', 'late')],
  ['unknown timestamps', { timestamps: 'all' }, unknown('timestamps', 'all')],
  [
    'a socket with less than no keep-alive',
    { socket: { keepAliveSeconds: -1 } },
    outside('keepAliveSeconds', -1, 0, I32_MAX),
  ],
  ['a flag of the socket that is a number', { socket: { nodelay: 1 } }, wrong('nodelay')],
  ['source ports beyond the last', { socket: { sourcePort: 65535 } }, outside('sourcePort', 65544, 1, 65535)],
  ['no endpoint', { endpoints: [] }, wrong('endpoints')],
  ['an empty payload', { payload: new Uint8Array(0) }, { name: 'Error' }],
  ['a payload that is no bytes', { payload: 'abc' }, wrong('payload')],
  ['no slots', { slots: { first: 0, stride: 1, count: 0 } }, outside('count', 0, 1, U32_MAX)],
  ['a negative time', { steadyToNs: -1 }, outside('steadyToNs', -1, 0, NS_MAX)],
  ['a time that is no number', { transferTimeoutNs: NaN }, outside('transferTimeoutNs', NaN, 0, NS_MAX)],
  ['a missing time', { connectTimeoutNs: undefined }, wrong('connectTimeoutNs')],
  [
    'a warm-up longer than what is before the steady state',
    { steadyFromNs: 1e9, warmupNs: 2e9 },
    outside('warmupNs', 2e9, 0, 1e9),
  ],
  ['a negative warm-up', { steadyFromNs: 1e9, warmupNs: -1 }, outside('warmupNs', -1, 0, 1e9)],
  ['no intervals', { intervalNs: 0 }, outside('intervalNs', 0, 1, NS_MAX)],
  [
    'a schedule that goes back in time',
    { schedule: [at(2e9, { slots: 1 }), at(1e9, { slots: 2 })] },
    wrong('schedule'),
  ],
  [
    'a rate that goes back in time',
    { rates: [at(0, { rate: 1 }), at(2, { rate: 1 }), at(1, { rate: 1, line: true })] },
    wrong('rates'),
  ],
  ['a rate of nothing', { rates: [at(0, { rate: 0 })] }, wrong('rates')],
  ['a rate that begins later', { rates: [at(1, { rate: 1 })] }, wrong('rates')],
  ['a part of a slot', { slots: { first: 0, stride: 1, count: 1.5 } }, wrong('count')],
  ['ids that do not advance', { slots: { first: 0, stride: 0, count: 2 } }, outside('stride', 0, 1, U32_MAX)],
  [
    'ids out of range',
    { slots: { first: U32_MAX, stride: 1, count: 2 } },
    outside('first + stride * (count - 1)', 2 ** 32, 0, U32_MAX),
  ],
  ['connects that never come', { connectRate: 1e-300 }, outside('connectRate', 1e-300, 1e-6, 1e9)],
  ['connects without end', { connectRate: Infinity }, outside('connectRate', Infinity, 0, 1e9)],
  ['a rate without end', { rates: [at(0, { rate: Infinity })] }, outside('rates[0]', Infinity, 0, 1e9)],
  ['a rate that is no number', { rates: [at(0, { rate: NaN })] }, outside('rates[0]', NaN, 0, 1e9)],
  ['slots that are no number', { schedule: [at(0, { slots: NaN })] }, outside('schedule[0]', NaN, 0, U32_MAX)],
  ['less than no slots', { schedule: [at(0, { slots: -1 })] }, outside('schedule[0]', -1, 0, U32_MAX)],
  ['too many slots', { schedule: [at(0, { slots: 2 ** 32 })] }, outside('schedule[0]', 2 ** 32, 0, U32_MAX)],
  [
    'a point of the schedule that never comes',
    { schedule: [at(0, { slots: 1 }), at(Infinity, { slots: 2, line: true })] },
    outside('schedule[1].atNs', Infinity, 0, NS_MAX),
  ],
  ['a numeric setting that is a string', { pauseNs: '1s' }, wrong('pauseNs')],
  ['a parameter that the protocol does not have', { protocolParameters: { keys: 1 } }, wrong('protocolParameters')],
  ['a protocol without its parameters', HTTP, wrong('protocolParameters')],
  ['a parameter that is missing', { ...HTTP, protocolParameters: { ...KEEP, keys: 1 } }, wrong('keepsAlive')],
  ['a flag that is a number', { ...HTTP, protocolParameters: { ...KEEP, keepsAlive: 0 } }, wrong('keepsAlive')],
  [
    'a parameter that is no whole number',
    { protocol: 'websocket', protocolParameters: { upgradeBytes: 1.5 } },
    wrong('upgradeBytes'),
  ],
];

describe('engine: settings', function () {
  for (const [what, settings, expected] of WRONG) {
    it(`refuses ${what}`, () => {
      const config = /** @type {any} */ ({ ...configOf({ port: 1 }), ...settings });
      assert.throws(() => createEngine(config, () => {}), { code: 'EINVAL', ...expected });
    });
  }

  it('has a setting for each key of a scenario that it is given', () => {
    for (const { name } of engineKeys) {
      const config = { ...configOf({ port: 1 }), [name]: {} };
      assert.throws(() => createEngine(config, () => {}), { code: 'EINVAL', data: { setting: name } }, name);
    }
  });

  it('has usual values for what may be missing', async () => {
    const config = {
      ...configOf({ port: 1 }),
      pauseNs: undefined,
      heartbeatNs: null,
      tls: null,
      socket: { keepAliveSeconds: null },
    };
    const engine = createEngine(config, () => {});
    engine.stop();
    assert.deepEqual(await engine.done, { log: null });
  });

  it('creates an engine that is never started and does not keep its process alive', async function () {
    const folder = mkdtempSync(join(tmpdir(), 'broadside-never-'));
    try {
      const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', MAKE_TWENTY, folder], {
        timeout: 15_000,
      });
      assert.deepEqual([stdout, stderr], ['20 logs\n', '']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

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
});
