// The logs folder: listing, pruning (never a run in progress) and finding a run, and the texts of the list.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf, failuresText, figureTexts, measuredText } from '../../client/judge/run-digest.js';
import { ownIdentity } from '../../client/machine/process-identity.js';
import { writeMissingSummary } from '../../client/store/missing-summary.js';
import { readSummary } from '../../client/store/read-run.js';
import { findRun, isRunning, listRuns, pruneRuns } from '../../client/store/run-list.js';
import { readRun } from '../../report/read/read-run.js';
import { RUN_SCHEMA } from '../../client/measure/schema.js';
import { RunFolder } from '../../client/store/run-folder.js';
import { codesOf } from '../fixtures/codes.js';
import { legOf, runOf } from '../fixtures/made-up-answers.js';
import { recorded } from '../fixtures/recorded-run.js';

const LONG_AGO = new Date('2026-01-01T00:00:00Z');

describe('the list of runs', () => {
  /** @type {string} */
  let logs;
  beforeEach(async () => {
    logs = await mkdtemp(join(tmpdir(), 'broadside-runs-'));
  });
  afterEach(() => rm(logs, { recursive: true, force: true }));

  /**
   * @param {string} id
   * @param {Record<string, unknown>} [files] name -> JSON
   * @param {Date} [written]
   */
  async function makeRun(id, files = {}, written = LONG_AGO) {
    await mkdir(join(logs, id, '01-epoll'), { recursive: true });
    const all = {
      'plan.json': { scenario: 'smoke', legs: [{}, {}] },
      '01-epoll/samples.ndjson': 'x'.repeat(98),
      ...files,
    };
    for (const [name, content] of Object.entries(all)) {
      await writeFile(join(logs, id, name), JSON.stringify(content));
      await utimes(join(logs, id, name), written, written);
    }
  }
  const whole = {
    'summary.json': { scenario: 'smoke', complete: true, legs: [{ complete: true }, { complete: true }] },
  };

  it('shows a run of another schema without figures; nothing else reads it', async () => {
    const id = '20260101-100000-smoke';
    const sample = { schema: 1, fromNs: 0, toNs: 1, counters: {}, rejects: {}, errors: {}, gauges: {} };
    await makeRun(id, {
      'plan.json': { legs: [{ id: '01-epoll' }] },
      'summary.json': { ...whole['summary.json'], schema: 1 },
      '01-epoll/samples.ndjson': sample,
    });
    assert.deepEqual(
      (await listRuns(logs)).map(({ state, digest }) => [state, digest]),
      [['complete', null]],
    );
    const folder = join(logs, id);
    const refusal = { code: 'ESCHEMA', exitCode: 2 };
    const ofSummary = { ...refusal, data: { where: join(folder, 'summary.json'), found: 1, expected: RUN_SCHEMA } };
    assert.throws(() => readSummary(folder), ofSummary);
    await assert.rejects(readRun(folder), ofSummary);
    await rm(join(folder, 'summary.json'));
    await assert.rejects(writeMissingSummary(folder), refusal, 'nor is a summary made of its samples');
  });

  it('shows runs, the newest first, with legs, state and size', async () => {
    await makeRun('20260101-100000-smoke', whole);
    await makeRun('20260101-100000-smoke-2', {
      'summary.json': { complete: false, legs: [{ complete: true }, { complete: false }] },
    });
    await makeRun('20260102-100000-smoke');
    await mkdir(join(logs, 'something-else'));
    const runs = await listRuns(logs);
    assert.deepEqual(
      runs.map(({ id, state, legs, legsComplete, date }) => [id, state, legsComplete, legs, date]),
      [
        ['20260102-100000-smoke', 'cut short', 0, 2, '2026-01-02 10:00:00'],
        ['20260101-100000-smoke-2', 'incomplete', 1, 2, '2026-01-01 10:00:00'],
        ['20260101-100000-smoke', 'complete', 2, 2, '2026-01-01 10:00:00'],
      ],
    );
    assert.equal(runs[0]?.bytes, 100 + JSON.stringify({ scenario: 'smoke', legs: [{}, {}] }).length);
  });

  it('prunes all but the newest runs, and nothing else in the folder', async () => {
    for (const day of [1, 2, 3, 4]) await makeRun(`2026010${day}-100000-smoke`, whole);
    await writeFile(join(logs, 'README.md'), '');
    const { deleted, kept } = await pruneRuns(logs, 2);
    const daysOf = (/** @type {{ id: string }[]} */ runs) => runs.map(({ id }) => id.slice(7, 8)).join();
    assert.deepEqual([daysOf(deleted), daysOf(kept)], ['2,1', '4,3']);
    assert.deepEqual((await readdir(logs)).sort(), [...kept.map(({ id }) => id).sort(), 'README.md']);
    assert.deepEqual(await listRuns(join(logs, 'nowhere')), []);
  });

  it('never deletes a run in progress, detected by its process or by recent writes', async () => {
    const me = ownIdentity();
    const recently = new Date();
    await makeRun('20260101-100000-by-pid', { 'environment.json': { process: me } });
    await makeRun('20260102-100000-by-time', {}, recently);
    await makeRun('20260103-100000-killed', { 'environment.json': { process: { ...me, pid: 2 ** 30 } } }, recently);
    await makeRun('20260104-100000-done', { ...whole, 'environment.json': { process: me } });
    await makeRun('20260105-100000-id-used-again', { 'environment.json': { process: { ...me, born: '1' } } }, recently);
    const { deleted, kept } = await pruneRuns(logs, 0);
    const namesOf = (/** @type {{ id: string, state: string }[]} */ runs) => runs.map(({ id }) => id.slice(16)).join();
    assert.equal(namesOf(kept), 'by-time,by-pid');
    assert.ok(kept.every(({ state }) => state === 'running'));
    assert.equal(namesOf(deleted), 'id-used-again,done,killed');
  });

  it('takes no process of this host for that of a run on another, nor its absence for its end', async () => {
    const me = ownIdentity();
    const gone = { ...me, pid: 2 ** 30 };
    for (const [id, place] of /** @type {[string, object][]} */ ([
      ['20260101-100000-host', { host: 'another' }],
      ['20260102-100000-container', { pids: 'pid:[1]' }],
      ['20260103-100000-boot', { boot: 'another' }],
    ]))
      await makeRun(id, { 'environment.json': { process: { ...gone, ...place } } }, new Date());
    await makeRun('20260104-100000-quiet', { 'environment.json': { process: { ...me, host: 'another' } } });
    const { deleted } = await pruneRuns(logs, 0);
    assert.deepEqual(
      deleted.map(({ id }) => id),
      ['20260104-100000-quiet'],
    );
  });

  it('sees from another host that a run is in progress, though it writes nothing else for long', async () => {
    const id = '20260101-100000-waiting';
    await makeRun(id, { 'environment.json': { process: { ...ownIdentity(), host: 'another' } } });
    assert.equal(await isRunning(join(logs, id)), false);
    new RunFolder(join(logs, id), id).touch();
    assert.equal(await isRunning(join(logs, id)), true);
  });

  it('finds a run by id, by the beginning of its id, by folder, or the newest', async () => {
    await makeRun('20260101-100000-smoke', whole);
    await makeRun('20260102-100000-smoke', whole);
    const [first, second] = ['20260101-100000-smoke', '20260102-100000-smoke'].map((id) => join(logs, id));
    assert.equal(await findRun(logs, undefined), second);
    assert.equal(await findRun(logs, '20260101-100000-smoke'), first);
    assert.equal(await findRun(logs, '20260101'), first);
    assert.equal(await findRun('/nowhere', first), first);
    await assert.rejects(findRun(logs, '202601'), { exitCode: 2, code: 'ERUNAMBIGUOUS' });
    await assert.rejects(findRun(logs, '20260101-100000-smok3'), (/** @type {any} */ { exitCode, code, data }) => {
      assert.deepEqual([exitCode, code, data.run, data.known.length], [2, 'ENORUN', '20260101-100000-smok3', 2]);
      return true;
    });
    for (const empty of ['', ' ']) {
      await assert.rejects(findRun(logs, empty), { exitCode: 2, code: 'ENORUN', data: { run: empty, logs } });
    }
    await assert.rejects(findRun(join(logs, 'nowhere'), undefined), { exitCode: 2, code: 'ENORUN' });
  });
});

const summary = recorded('summary.json');

describe('the digest of a run', () => {
  it('has the figures and the failures of its summary', () => {
    const digest = digestOf(summary);
    assert.deepEqual(
      digest.cases.map(({ label, perSecond }) => [label, perSecond]),
      summary.legs.map((/** @type {any} */ { label, steady }) => [label, steady.perSecond]),
    );
    const [first] = digest.cases;
    assert.ok(Number(first.cpuNs) > 0 && Number(first.failedShare) >= 0);
    const counted = Object.fromEntries(digest.failures.map(({ code, count }) => [code, count]));
    for (const name of ['rejects', 'errors']) {
      const total = summary.legs.reduce(
        (/** @type {number} */ sum, /** @type {any} */ leg) => sum + leg[name].total,
        0,
      );
      assert.ok(total > 0 && counted[name] === total, name);
    }
    assert.match(failuresText(digest), /rejects, .* errors/);
    assert.match(figureTexts(digest).perSecond, / to /);
    const entry = { ...digest, cases: [{ label: 'a', perSecond: 12_345, p99Ns: 1_234_567 }] };
    assert.deepEqual(figureTexts(entry), { perSecond: '12,345', p99: '1.23 ms' });
    assert.equal(measuredText(digest), summary.legs.map((/** @type {any} */ { label }) => label).join(', '));
  });

  it('says that the verdict failed, that it is worse than its baseline, and that legs are incomplete', () => {
    const [leg] = summary.legs;
    const failed = {
      ...summary,
      verdict: { passed: false, thresholds: [{ passed: false }, { passed: true }] },
      baseline: { outcome: 'worse' },
      cases: undefined, // made from the legs
      legs: [{ ...leg, complete: false }],
    };
    const { failures } = digestOf(failed);
    assert.deepEqual(codesOf(failures.slice(0, 3)), ['verdict', 'baseline', 'incomplete']);
    assert.equal(figureTexts(digestOf(failed)).perSecond, '–', 'an incomplete leg has no figure');
  });

  it('counts the connections of a server that were not served once, however often it was started', () => {
    const account = { served: 16, unanswered: 84 };
    const run = runOf(['a', 'b'].flatMap((name) => [1, 2, 3].map((round) => legOf({ name, round, account }))));
    const failure = digestOf(run).failures.find(({ code }) => code === 'unanswered');
    assert.equal(failure?.count, 2 * 84);
  });

  it('gives runs of the same load the same key', () => {
    const { load } = digestOf(summary);
    assert.equal(digestOf({ ...summary, run: 'another', startedAt: 'later' }).load, load);
    assert.notEqual(digestOf({ ...summary, config: { ...summary.config, connections: 7 } }).load, load);
  });
});
