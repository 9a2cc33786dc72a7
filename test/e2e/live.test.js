// A run with --live: its events, read over HTTP from the URL that it prints, are what the run records.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { servedReport } from '../../report/live/live-page.js';
import { sandbox } from '../fixtures/e2e-run.js';

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

/** @param {any[]} sent data of the events of samples @returns {number[]} transfers of each second with any, as the page draws them */
function transfersIn(sent) {
  /** @type {number[]} */
  const drawn = [];
  for (const { charts } of sent) {
    for (const { amends, points } of charts.find((/** @type {any} */ { id }) => id === 'transfers')?.sets ?? []) {
      if (amends) drawn.pop();
      drawn.push(...points.map((/** @type {[number, number | null, number]} */ [, , transfers]) => transfers));
    }
  }
  return drawn.filter((transfers) => transfers > 0);
}

/** @param {any[]} samples @returns {number[]} transfers of each second with any; those of the drain apart */
function transfersOf(samples) {
  const seconds = new Map();
  for (const { second, phase, counters } of samples) {
    const key = `${second} ${phase === 'drain'}`;
    seconds.set(key, (seconds.get(key) ?? 0) + counters.transfers);
  }
  return [...seconds.values()].filter((transfers) => transfers > 0);
}

describe('a run with a live page', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  it('sends each sample as it is recorded, to those who know the URL, and then ends', async () => {
    const run = box.stress({ servers: ['epoll'], connections: 10, duration: '1h', warmup: '0s' }, ['--live', '0']);
    const url = await run.until('the URL is printed', () => /^live +(http:\S+\/)$/m.exec(run.stdout)?.[1]);
    const { origin, pathname } = new URL(url);
    assert.equal(new URL(url).hostname, '127.0.0.1');
    const reading = get(`${url}events`);

    const other = pathname.replace(/.(?=\/$)/, (last) => (last === 'A' ? 'B' : 'A'));
    for (const path of ['/', other, `${other}events`, `${other}report`]) {
      assert.equal((await get(origin + path)).status, 404, path);
    }
    assert.equal((await get(url)).status, 200);
    await run.until('some seconds are recorded', () => run.samples().length > 2);
    run.kill('SIGINT');

    const { status, text } = await reading;
    assert.equal(status, 200);
    const events = eventsIn(text);
    const end = events.at(-1);
    assert.equal(end?.event, 'end', text);
    const report = await get(`${url}report`);
    await run.endsWith(130);

    assert.equal(end.data.code, run.summary().endedBy);
    assert.equal(end.data.folder, run.folder);
    assert.equal(report.text, servedReport(readFileSync(end.data.page, 'utf8'), end.data.page));
    assert.ok(report.text.includes(`<code>${end.data.page}</code>`));

    const samples = run.samples();
    const sent = events.filter(({ event }) => event === 'sample').map(({ data }) => data);
    assert.deepEqual(
      sent.map(({ second, leg }) => [second, leg]),
      samples.map(({ second }) => [second, run.summary().legs[0].id]),
    );
    assert.deepEqual(transfersIn(sent), transfersOf(samples));
    const [begun] = events.filter(({ event }) => event === 'legs');
    const { tcp } = JSON.parse(readFileSync(join(String(run.folder), 'environment.json'), 'utf8'));
    assert.equal(marksOf(begun?.data).length, tcp?.memPages === undefined ? 0 : 2);
    assert.deepEqual(
      events.filter(({ event }) => event === 'ended').map(({ data }) => data.leg),
      run.summary().legs.map((/** @type {any} */ { id }) => id),
    );
  });
});
