// The payload: it depends only on its seed.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePayload, payloadOf } from '../../client/run/payload.js';
import { loadScenario, resolveScenario } from '../../client/scenario/scenario.js';

describe('a payload', () => {
  it('depends only on its seed', () => {
    assert.deepEqual([...makePayload(4, 1)], [...makePayload(9, 1).subarray(0, 4)]);
    assert.notDeepEqual(makePayload(64, 1), makePayload(64, 2));
    assert.equal(makePayload(0, 1).length, 0);
  });

  it('is the least and the most that a request carries, if it is a range', () => {
    const content = { servers: ['epoll'], connections: 1, payload: '1B-64KiB' };
    const { payloadMinBytes, payloadBytes } = resolveScenario({ content });
    assert.deepEqual([payloadMinBytes, payloadBytes], [1, 65_536]);
  });

  it('repeats itself if it is long, with a period that is not a whole number of pages', () => {
    const payload = makePayload(5_000_000, 7);
    const block = Buffer.from(payload.buffer, 0, 64);
    const again = Buffer.from(payload.buffer).indexOf(block, 1);
    assert.ok(again > 1_000_000 && again % 4096 !== 0, `again at ${again}`);
    for (const at of [4_999_999, 3_000_000, again * 2]) assert.equal(payload[at], payload[at - again]);
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

  it('has the size and the bytes of the file, which is relative to the scenario; one that has changed since is refused', async () => {
    const scenario = await load({ payload: 'file:some.bin' });
    assert.deepEqual([scenario.payloadBytes, scenario.payloadFile?.path], [6, file]);
    assert.deepEqual([...payloadOf(scenario)], [...bytes]);
    assert.deepEqual(payloadOf({ ...scenario, payloadFile: null }), makePayload(6, scenario.seed));
    const { points } = await load({
      tests: [
        { as: 'file', payload: 'file:some.bin' },
        { as: 'size', payload: '9B' },
      ],
    });
    assert.deepEqual(
      points?.map(({ settings }) => settings.payloadFile?.path),
      [file, undefined],
    );
    writeFileSync(file, 'other!');
    assert.throws(() => payloadOf(scenario), /has changed/);
  });

  it('is refused if it is not there, or would not be sent', async () => {
    for (const [payload, more, code] of /** @type {[string, object, string][]} */ ([
      ['file:none.bin', {}, 'EPAYLOADFILE'],
      ['file:.', {}, 'EPAYLOADFILE'],
      ['file:', {}, 'ESCENARIO'],
      ['file:some.bin', { protocol: 'http' }, 'ESCENARIO'],
      ['file:some.bin', { protocol: 'volley' }, 'ESCENARIO'],
    ]))
      await assert.rejects(load({ payload, ...more }), { code, exitCode: 2 });
  });
});
