// A run with --live: its events, read over HTTP from the URL that it prints, are what the run records.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { LiveModel, servedReport } from '../../report/live/index.js';
import { readRun } from '../../report/read/read-run.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { sideBySide } from '../fixtures/side-by-side.js';

const END_MS = 60_000;

/** @param {string} url @returns {Promise<{ status: number, text: string }>} the whole of it */
async function get(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(END_MS) });
  return { status: response.status, text: await response.text() };
}

/** @param {string} text of a stream of server-sent events @returns {{ event: string, data: any }[]} */
const eventsIn = (text) =>
  [...text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].map(([, event, data]) => ({ event, data: JSON.parse(data) }));

/** @param {any} skeleton @returns {any[]} of its chart of memory */
const marksOf = ({ charts }) => charts.find((/** @type {any} */ { id }) => id === 'memory').panels[0].marks ?? [];

describe('a run with a live page', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });
  const it = sideBySide();

  it('sends each sample as it is recorded, to those who know the URL, and then ends', async () => {
    const run = box.stress({ servers: ['epoll'], connections: 10, duration: '1s', warmup: '0s' }, ['--live', '0']);
    const url = await run.until('the URL is printed', () => /^live +(http:\S+\/)$/m.exec(run.stdout)?.[1]);
    const { origin, pathname } = new URL(url);
    assert.equal(new URL(url).hostname, '127.0.0.1');
    const reading = get(`${url}events`);

    const other = pathname.replace(/.(?=\/$)/, (last) => (last === 'A' ? 'B' : 'A'));
    for (const path of ['/', other, `${other}events`, `${other}report`]) {
      assert.equal((await get(origin + path)).status, 404, path);
    }
    assert.equal((await get(url)).status, 200);

    const { status, text } = await reading;
    assert.equal(status, 200);
    const events = eventsIn(text);
    const end = events.at(-1);
    assert.equal(end?.event, 'end', text);
    const report = await get(`${url}report`);
    await run.endsWith(0);

    assert.equal(end.data.code, run.summary().endedBy);
    assert.equal(end.data.folder, run.folder);
    assert.equal(report.text, servedReport(readFileSync(end.data.page, 'utf8'), end.data.page));
    assert.ok(report.text.includes(`<code>${end.data.page}</code>`));

    const { scenario, plan, environment, legs } = await readRun(String(run.folder));
    const [leg] = legs;
    const model = new LiveModel({
      ...{ scenario: /** @type {any} */ (scenario), plan: /** @type {any} */ (plan) },
      ...{ cores: environment?.cores, memPages: environment?.tcp?.memPages },
    });
    model.begin(leg.planned);
    const begun = events.find(({ event }) => event === 'legs');
    assert.deepEqual(begun?.data.charts, JSON.parse(JSON.stringify(model.skeleton().charts)));
    assert.equal(marksOf(begun?.data).length, environment?.tcp?.memPages === undefined ? 0 : 2);
    const [ended] = events.filter(({ event }) => event === 'ended');
    assert.equal(ended.data.leg, leg.id);
    const recorded = run.samples().map((sample) => {
      const points = model.take(leg.id, sample, leg.summary?.startNs);
      return JSON.parse(JSON.stringify({ second: sample.second, ...points }));
    });
    const sent = events.filter(({ event }) => event === 'sample').map(({ data: { cells: _, ...points } }) => points);
    assert.ok(recorded.length > 0 && sent.some(({ charts }) => charts.length > 0));
    assert.deepEqual(sent, recorded);
  });
});
