// The page of a run in progress, from its folder: what it says, and that it is made of what is new alone.

import assert from 'node:assert/strict';
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unfinishedRun } from '../../client/judge/unfinished.js';
import { RunEvents } from '../../client/measure/run-events.js';
import { buildReport } from '../../report/index.js';
import { search, searchDetails } from '../../report/html/sections/search.js';
import { RunReader, readRun } from '../../report/read/read-run.js';
import { attributesOf, elementOf } from '../fixtures/page-elements.js';
import { recorded, RECORDED, RUN_ID } from '../fixtures/recorded-run.js';

const [SECOND, THIRD] = ['02-select', '03-epoll'];

/** @param {string} folder of a leg @returns {Promise<string[]>} */
const linesOf = async (folder) => (await readFile(join(folder, 'samples.ndjson'), 'utf8')).trimEnd().split('\n');

describe('the page of a run in progress', () => {
  let scratch = '';
  let folder = '';
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-live-'));
    folder = join(scratch, RUN_ID);
    await cp(RECORDED, folder, { recursive: true });
    for (const name of ['', SECOND, THIRD]) await rm(join(folder, name, 'summary.json'));
  });
  afterEach(() => rm(scratch, { recursive: true, force: true }));

  /** @param {string[]} lines of the second leg; the last may be half a line */
  const recordSecond = (lines) => writeFile(join(folder, SECOND, 'samples.ndjson'), lines.join('\n'));

  it('says how far it is, has the figures of what is there, and ranks nothing', async () => {
    const lines = await linesOf(join(folder, SECOND));
    const told = lines.slice(0, 20);
    await recordSecond([...told, lines[20].slice(0, 1000)]);
    await rm(join(folder, THIRD), { recursive: true });
    const [data, text] = [{ intervals: 7 }, 'made up: seven intervals'];
    const warned = { level: 'warn', leg: SECOND, code: 'intervals-merged', data, msg: text };
    await appendFile(join(folder, 'events.ndjson'), `${JSON.stringify(warned)}\n{"level":"warn","le`);

    const run = await readRun(folder);
    const { page } = await buildReport({ runFolder: folder, reportFolder: join(scratch, 'report') });
    const shown = await readFile(page, 'utf8');
    const table = shown.slice(shown.indexOf('<table class="servers '));
    assert.match(
      elementOf(shown, 'data-code', 'running'),
      /In progress: measurement 2 of 3 \(select\), 0:2\d of \d:\d\d\./,
    );
    assert.match(elementOf(table, 'data-leg', 'select'), /class="tag running"/);
    assert.match(elementOf(table, 'data-leg', 'epoll'), /data-code="not-started"/);
    assert.doesNotMatch(elementOf(table, 'data-leg', 'multi-threaded'), /class="tag/);
    assert.doesNotMatch(shown.slice(shown.indexOf('<body')), / data-mark="|id="partial"|data-code="did-not-run"/);
    assert.match(shown, /made up: seven intervals/);

    const samples = told.map((line) => JSON.parse(line));
    const leg = run.legs[1].summary;
    const count = samples.reduce((sum, { counters }) => sum + counters.transfers, 0);
    assert.deepEqual([leg?.transfers?.count, leg?.startNs], [count, recorded(join(SECOND, 'summary.json')).startNs]);
    assert.equal(leg?.phases?.endNs, Math.max(...samples.map(({ toNs }) => toNs)));
    assert.deepEqual(run.legs[1].samples, samples);
    assert.equal(run.legs[1].cutLines, 0, 'the last line is being written');
  });

  it('has the figures of the ramp, and says so, until the steady state has begun', async () => {
    const told = (await linesOf(join(folder, SECOND))).filter((line) => JSON.parse(line).phase === 'ramp').slice(0, 4);
    await recordSecond([...told, '']);
    const { legs } = await readRun(folder);
    const { page } = await buildReport({ runFolder: folder, reportFolder: join(scratch, 'report') });
    const shown = await readFile(page, 'utf8');
    const row = elementOf(shown.slice(shown.indexOf('<table class="servers ')), 'data-leg', 'select');
    assert.doesNotMatch(shown, /data-code="not-served"[^>]*data-leg="select"/);
    const transfers = told.reduce((sum, line) => sum + JSON.parse(line).counters.transfers, 0);
    assert.equal(legs[1].summary?.steady?.transfers, transfers);
    assert.match(row, /in progress: ramp/);
    assert.match(row, /data-figure="perSecond"[^>]*>(?!<b[^>]*>–)/);
  });

  it('is made of what is new alone, and in the end is that of the whole folder', async () => {
    const lines = await linesOf(join(folder, SECOND));
    const file = join(folder, SECOND, 'samples.ndjson');
    const half = lines[12].length / 2;
    await recordSecond([...lines.slice(0, 12), lines[12].slice(0, half)]);
    const reader = new RunReader(folder);
    assert.equal((await reader.read()).legs[1].samples.length, 12);
    await appendFile(file, `${lines[12].slice(half)}\n`);
    const { legs } = await reader.read();
    assert.deepEqual(legs, (await readRun(folder)).legs);
    assert.equal(legs[1].samples.length, 13);
    await appendFile(file, `${lines.slice(13).join('\n')}\n`);
    for (const name of [SECOND, THIRD, ''])
      await cp(join(RECORDED, name, 'summary.json'), join(folder, name, 'summary.json'));
    assert.deepEqual(await reader.read(), await readRun(folder));
  });

  it('takes what was written of a leg in parts: its start, its warnings', () => {
    const events = new RunEvents();
    const told = [
      { level: 'info', leg: 'a', startNs: 5, targets: ['x:1'], msg: 'leg starts' },
      { level: 'debug', source: 'server', leg: 'a', msg: '"level":"warn" "msg":"leg starts"', startNs: 6 },
      { level: 'warn', leg: 'a', code: 'c', data: {}, msg: 'für a' },
      { level: 'warn', code: 'd', data: {}, msg: 'of the run' },
      { level: 'warn', signal: 'SIGINT', msg: 'interrupted' },
    ];
    const bytes = Buffer.from(told.map((one) => `${JSON.stringify(one)}\n`).join(''));
    for (let at = 0; at < bytes.length; at += 7) events.add(bytes.subarray(at, at + 7));
    const warnings = [{ code: 'c', data: {}, text: 'für a' }];
    assert.deepEqual(events.of('a'), { startNs: 5, targets: ['x:1'], warnings });
    assert.deepEqual(events.warnings, [{ code: 'd', data: {}, text: 'of the run' }]);
  });

  it('has in a search the legs that have ended, each for each goal, and in no run a verdict', () => {
    const [leg] = recorded('summary.json').legs;
    const find = { maximise: 'connections', from: 1, to: 1e6, tolerance: 0.1, confirm: 2 };
    const tried = { ...leg, tried: 10_000 };
    const legs = [tried, { ...tried, id: '02-x', endedBy: 'running' }];
    const run = {
      id: 'x',
      environment: recorded('environment.json'),
      events: new RunEvents(),
    };
    for (const goals of [['p99 < 1h'], ['p99 < 1h', 'p99 < 2h']]) {
      const scenario = { ...recorded('scenario.json'), thresholds: ['p99 < 1ns'] };
      const plan = { ...recorded('plan.json'), search: { ...find, goals } };
      const summary = unfinishedRun(legs, 'running', { ...run, plan, scenario });
      assert.deepEqual([summary.verdict, summary.complete, summary.comparisons], [undefined, false, undefined]);
      const decided = (/** @type {string} */ endedBy) =>
        attributesOf(search(/** @type {any} */ ({ summary: { ...summary, endedBy } })), 'data-decided');
      assert.deepEqual(decided('running'), Array(goals.length).fill('open'));
      assert.deepEqual(decided('interrupted'), Array(goals.length).fill('false'));
      const details = searchDetails(/** @type {any} */ ({ summary }));
      assert.deepEqual(attributesOf(details, 'data-leg'), Array(goals.length).fill(leg.id));
    }
  });
});
