// A run that is to be resumed: what is read of it, and when it is refused.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resumedRun, resumeOf } from '../../client/commands/resume.js';
import { ownIdentity } from '../../client/machine/process-identity.js';
import { resumedWarning, changedConditions, readResumable, resumedZero } from '../../client/store/resumable-run.js';
import { recorded, recordedLeg, recordedPlan } from '../fixtures/recorded-run.js';

const { schema: SCHEMA } = recorded('plan.json');
const environment = { t0: { epochMs: 1000 }, process: { ...ownIdentity(), born: '0' } };

describe('a run to resume', () => {
  /** @type {string} */
  let scratch;
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-resume-'));
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  /**
   * @param {(boolean | null)[]} legs whether each is complete; null: it left no summary
   * @param {Record<string, unknown>} [documents] in place of the usual ones
   */
  async function folderWith(legs, documents = {}) {
    const folder = await mkdtemp(join(scratch, 'run-'));
    const plan = recordedPlan(legs.map((_, i) => ({ id: `0${i + 1}-a` })));
    const all = { 'scenario.json': {}, 'plan.json': plan, 'environment.json': environment, ...documents };
    for (const [name, content] of Object.entries(all)) await writeFile(join(folder, name), JSON.stringify(content));
    for (const [i, complete] of legs.entries()) {
      if (complete === null) continue;
      await mkdir(join(folder, `0${i + 1}-a`));
      const summary = { ...recordedLeg(`0${i + 1}-a`), complete };
      await writeFile(join(folder, `0${i + 1}-a`, 'summary.json'), JSON.stringify(summary));
    }
    return folder;
  }

  it('has the legs that are complete, and the times it was resumed before', async () => {
    const part = { at: '2026-01-01T00:00:00.000Z', legs: ['02-a'], changed: [] };
    const found = await readResumable(await folderWith([true, false, null], { 'resumed.json': [part] }), SCHEMA);
    assert.deepEqual(
      found.complete.map(({ id }) => id),
      ['01-a'],
    );
    assert.deepEqual(found.parts, [part]);
  });

  it('has none of the legs that took turns with one that is not complete', async () => {
    const turns = [undefined, 1, 1, 2, 2].map((group) =>
      group === undefined ? undefined : { group, index: 0, of: 2, lengthNs: 1e8, settleNs: 1e7, fromNs: 0, seed: 1 },
    );
    const plan = recordedPlan(turns.map((slices, i) => ({ id: `0${i + 1}-a`, slices })));
    const folder = await folderWith([true, true, false, true, true], { 'plan.json': plan });
    const { complete } = await readResumable(folder, SCHEMA);
    assert.deepEqual(
      complete.map(({ id }) => id),
      ['01-a', '04-a', '05-a'],
    );
  });

  it('has no leg whose summary is damaged: it is to be run again', async () => {
    const folder = await folderWith([true, true]);
    const { transfers: _lost, ...damaged } = recordedLeg('02-a');
    await writeFile(join(folder, '02-a', 'summary.json'), JSON.stringify({ ...damaged, complete: true }));
    const { complete } = await readResumable(folder, SCHEMA);
    assert.deepEqual(
      complete.map(({ id }) => id),
      ['01-a'],
    );
  });

  it('is one whose legs are complete, where those of compareAt are not planned yet', async () => {
    const planned = (/** @type {object[]} */ legs) => recordedPlan(legs, { compareAt: { share: 0.5, mostLegs: 2 } });
    const legs = [{ id: '01-a' }, { id: '02-a', comparedAt: 500 }];
    const before = await folderWith([true], { 'plan.json': planned(legs.slice(0, 1)) });
    assert.equal((await readResumable(before, SCHEMA)).complete.length, 1);
    const whole = await folderWith([true, true], { 'plan.json': planned(legs) });
    await assert.rejects(readResumable(whole, SCHEMA), { code: 'ECOMPLETE' });
  });

  it('is refused when nothing is left, when it runs, and when its plan is missing or of another version', async () => {
    const running = { ...environment, process: ownIdentity() };
    for (const [code, folder] of [
      ['ECOMPLETE', await folderWith([true, true])],
      ['ERUNNING', await folderWith([true, null], { 'environment.json': running })],
      ['EPLANSCHEMA', await folderWith([null], { 'plan.json': { schema: 1, legs: [{ id: '01-a' }] } })],
      ['ENOPLAN', await folderWith([null], { 'environment.json': {} })],
      ['ENOPLAN', await folderWith([null], { 'plan.json': 0 })],
      ['ENOPLAN', await folderWith([null], { 'plan.json': recordedPlan([{ id: 7 }]) })],
    ]) {
      await assert.rejects(readResumable(folder, SCHEMA), { code, exitCode: 2 }, code);
    }
  });

  it('is refused with any flag that would change it, and when it is unknown', async () => {
    const folder = await folderWith([true, null]);
    for (const flags of [{ connections: '5' }, { c: '5' }, { config: 'smoke' }, { url: ':80' }, { 'dry-run': true }]) {
      assert.throws(() => resumeOf({ resume: folder, logs: scratch, ...flags }), {
        code: 'ERESUMEFLAGS',
        data: { others: Object.keys(flags) },
      });
    }
    assert.throws(() => resumeOf({ resume: [folder, folder], logs: scratch }), { code: 'ERESUMEFLAGS' });
    assert.equal(resumeOf({ resume: folder, logs: scratch, live: '', quiet: true }), folder);
    await assert.rejects(resumedRun('nowhere', scratch), { code: 'ENORUN' });
  });

  it('goes on with the zero of its start, unless the machine was restarted since', () => {
    const now = { monotonicNs: 50_000_000_000n, epochMs: 21_000 };
    assert.deepEqual(resumedZero({ epochMs: 1000 }, now), { monotonicNs: 30_000_000_000n, epochMs: 1000 });
    assert.equal(resumedZero({ epochMs: -40_000 }, now), now);
  });

  it('says which conditions have changed', () => {
    const before = { kernel: 'Linux 6.1', node: '20.19.0', sysctl: { a: '1' }, pid: 1 };
    assert.deepEqual(changedConditions(before, { ...before, pid: 2 }), []);
    assert.deepEqual(changedConditions(before, { ...before, node: '22.0.0', sysctl: { a: '2' } }), ['node', 'sysctl']);
    const part = { at: '2026-01-01T00:00:00.000Z', legs: ['02-a'], changed: ['node'] };
    assert.deepEqual(resumedWarning(part, 3).data, { ...part, planned: 3 });
  });
});
