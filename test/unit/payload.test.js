// The payload: it depends only on its seed.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePayload, payloadOf } from '../../client/run/payload.js';
import { loadScenario, resolveScenario } from '../../client/scenario/scenario.js';
import { protocolsThatVary } from '../../client/protocols/index.js';
import { payloadText } from '../../client/words/load.js';
import { warning } from '../../client/words/warnings.js';

describe('a payload', () => {
  it('depends only on its seed', () => {
    assert.deepEqual([...makePayload(4, 1)], [...makePayload(9, 1).subarray(0, 4)]);
    assert.notDeepEqual(makePayload(64, 1), makePayload(64, 2));
    assert.equal(makePayload(0, 1).length, 0);
  });

  it('repeats itself if it is long, with a period that is not a whole number of pages', () => {
    const payload = makePayload(5_000_000, 7);
    const block = Buffer.from(payload.buffer, 0, 64);
    const again = Buffer.from(payload.buffer).indexOf(block, 1);
    assert.ok(again > 1_000_000 && again % 4096 !== 0, `again at ${again}`);
    for (const at of [4_999_999, 3_000_000, again * 2]) assert.equal(payload[at], payload[at - again]);
  });

  it('is named as the reason if it is large and a worker is late', () => {
    const remedyFor = (/** @type {number} */ payloadBytes) =>
      warning('workers-not-ready', { workers: [0, 1], readyMs: 20_000, payloadBytes }).remedy;
    assert.ok(remedyFor(256 * 1024 ** 2)?.includes('256 MiB'));
    assert.equal(remedyFor(1024), undefined);
  });
});

describe('a payload from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'broadside-payload-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'some.bin');
  const bytes = Buffer.from([0, 255, 10, 13, 0, 7]);
  const config = join(folder, 'mine.json');
  /** @param {object} more */
  const load = (more) => {
    writeFileSync(file, bytes);
    writeFileSync(config, JSON.stringify({ servers: ['epoll'], connections: 1, ...more }));
    return loadScenario({ config });
  };

  it('has the size and the bytes of the file, which is relative to the scenario', async () => {
    const scenario = await load({ payload: 'file:some.bin' });
    assert.deepEqual([scenario.payloadBytes, scenario.payloadFile?.path], [6, file]);
    assert.deepEqual([...payloadOf(scenario)], [...bytes]);
    assert.deepEqual(payloadOf({ ...scenario, payloadFile: null }), makePayload(6, scenario.seed));
  });

  it('may be that of one test', async () => {
    const { tests } = await load({
      tests: [
        { as: 'file', payload: 'file:some.bin' },
        { as: 'size', payload: '9B' },
      ],
    });
    assert.deepEqual(
      tests?.map(({ settings }) => [settings.payloadBytes, settings.payloadFile?.path]),
      [
        [6, file],
        [9, undefined],
      ],
    );
  });

  it('is not one that has changed since', async () => {
    const scenario = await load({ payload: 'file:some.bin' });
    writeFileSync(file, 'other!');
    assert.throws(() => payloadOf(scenario), /has changed/);
  });

  for (const [why, more, code] of /** @type {[string, object, string][]} */ ([
    ['is not there', { payload: 'file:none.bin' }, 'EPAYLOADFILE'],
    ['is a folder', { payload: 'file:.' }, 'EPAYLOADFILE'],
    ['has no name', { payload: 'file:' }, 'ESCENARIO'],
    ['would not be sent', { payload: 'file:some.bin', protocol: 'http' }, 'ESCENARIO'],
    ['volley does not send', { payload: 'file:some.bin', protocol: 'volley' }, 'ESCENARIO'],
  ])) {
    it(`is refused if it ${why}`, () => assert.rejects(load(more), { code, exitCode: 2 }));
  }
});

describe('a payload that is a range', () => {
  /** @param {string[]} args protocol and payload @param {object} more */
  const resolve = ([protocol, payload], more = {}) =>
    resolveScenario({ content: { servers: ['epoll'], connections: 1, protocol, payload, ...more } });

  it('is the least and the most that a request carries', () => {
    const scenario = resolve(['echo', '1B-64KiB']);
    assert.deepEqual([scenario.payloadMinBytes, scenario.payloadBytes], [1, 65_536]);
    assert.equal(resolve(['ace', '0B-1KiB']).payloadMinBytes, 0);
    assert.equal(resolve(['echo', '64KiB']).payloadMinBytes, null);
    assert.equal(payloadText(scenario), '1 B to 64 KiB');
  });

  it('names the protocols whose requests may vary', () => {
    assert.deepEqual(protocolsThatVary, ['echo', 'ace', 'http', 'websocket']);
  });
});
