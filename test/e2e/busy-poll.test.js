// A run with busy polling: it is recorded, and its CPU time is reported wherever the client's CPU time is.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codesIn } from '../fixtures/page-elements.js';
import { pageText } from '../fixtures/page-text.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('a run with busyPoll', function () {
  this.timeout(60_000);
  const box = sandbox();
  const few = { servers: ['epoll'], connections: 4, workers: 1, rate: '20/s', pause: '0s', duration: '2s' };

  it('records busy polling, and does not count it as a limit', async () => {
    const run = box.stress({ ...few, busyPoll: '1s' }); // longer than from one request to the next
    await run.endsWith(0);
    const {
      summary,
      legs: [{ leg, samples }],
    } = await assertBooks(run);
    const scenario = JSON.parse(readFileSync(join(run.logs, summary.run, 'scenario.json'), 'utf8'));
    assert.equal(scenario.busyPollNs, 1e9);
    const { client } = leg.steady;
    assert.ok(client.idlePollSeconds > 0 && client.idlePollSeconds <= client.engineCpuSeconds, JSON.stringify(client));
    assert.ok(client.idlePollSeconds > client.engineCpuSeconds / 4, JSON.stringify(client));
    assert.equal(client.engines.length, 1);
    assert.ok(client.engines[0].idlePoll > 0, JSON.stringify(client.engines));
    assert.ok(
      samples.every(({ limitedBy }) => limitedBy !== 'client'),
      'the client had nothing to do',
    );
    assert.match(run.stdout, /idle polling +\d+ %/);
    const page = pageText(run.report, summary.run);
    assert.match(page, /polls for 1 s before it sleeps/);
    assert.match(page, /\(idle polling [^)]*: busyPoll\)/);
    const html = readFileSync(join(run.report, `${summary.run}.html`), 'utf8');
    assert.ok(codesIn(html).includes('idle polling'));
  });

  it.slow('does not mention busy polling when it is off', async () => {
    const run = box.stress({ ...few, duration: '1s' });
    await run.endsWith(0);
    const {
      summary,
      legs: [{ leg, samples }],
    } = await assertBooks(run);
    assert.equal('idlePollSeconds' in leg.steady.client, false);
    assert.ok(samples.every(({ client }) => !('idlePollSeconds' in client)));
    assert.doesNotMatch(run.stdout, /idle poll/);
    assert.doesNotMatch(pageText(run.report, summary.run), /idle polling \(busyPoll\)|before it sleeps/);
  });
});
