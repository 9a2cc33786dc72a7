// The command line of a run, read once: the scenario that it names, and what belongs to the invocation alone.

import assert from 'node:assert/strict';
import { requestOf } from '../../client/commands/request.js';

const given = { $0: 'broadside stress', logs: '/l', report: '/r' };

describe('the command line of a run', () => {
  it('names a scenario by its file and by flags, a target among them', () => {
    const request = requestOf({ ...given, config: 'smoke', connections: '5', url: '127.0.0.1:80', 'ramp.add': '7' });
    assert.deepEqual(request.scenario, {
      config: 'smoke',
      flags: { connections: 5, target: ['127.0.0.1:80'], 'ramp.add': 7 },
    });
    assert.equal(requestOf(given).scenario, null);
    assert.deepEqual(requestOf({ ...given, seed: '3' }).scenario, { config: undefined, flags: { seed: 3 } });
  });

  it('says what belongs to this invocation', () => {
    const { scenario: _, publication, ...rest } = requestOf({ ...given, config: 'smoke' });
    assert.deepEqual(rest, {
      command: 'broadside stress',
      agents: null,
      baseline: null,
      revisions: null,
      output: { logs: '/l', report: '/r', only: null, progress: true, table: 'main', isDebug: false, isDryRun: false },
      livePort: null,
    });
    assert.equal(publication.stepSummary, undefined);
    const request = requestOf(
      { ...given, config: 'smoke', live: '8080', quiet: true, baseline: 'x', agents: '2', nats: 'nats://a:1' },
      { GITHUB_STEP_SUMMARY: '/s' },
    );
    assert.deepEqual([request.livePort, request.output.only], [8080, 'results']);
    assert.deepEqual([request.baseline, request.agents?.count], [{ run: 'x', tolerance: null }, 2]);
    assert.equal(request.publication.stepSummary, '/s');
    assert.equal(requestOf({ ...given, json: true, quiet: true, 'dry-run': true }).output.only, 'json');
    assert.equal(requestOf({ ...given, markdown: true }).output.only, 'markdown');
  });
});
