// The command line of a run, read once: the scenario that it names, and what belongs to the invocation alone.

import assert from 'node:assert/strict';
import { requestOf } from '../../client/commands/options.js';

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
      nats: null,
      place: null,
      baseline: null,
      revisions: null,
      output: {
        logs: '/l',
        report: '/r',
        only: null,
        progress: 'auto',
        table: 'main',
        isDebug: false,
        isDryRun: false,
      },
      livePort: null,
      explain: null,
    });
    assert.equal(publication.stepSummary, undefined);
    const request = requestOf(
      { ...given, config: 'smoke', live: '8080', quiet: true, baseline: 'x', agents: '2', nats: 'nats://a:1' },
      { GITHUB_STEP_SUMMARY: '/s' },
    );
    assert.deepEqual([request.livePort, request.output.only], [8080, 'results']);
    assert.deepEqual([request.baseline, request.place?.count], [{ run: 'x', tolerance: null }, 2]);
    assert.equal(request.publication.stepSummary, '/s');
    assert.equal(requestOf({ ...given, json: true, quiet: true, 'dry-run': true }).output.only, 'json');
    assert.equal(requestOf({ ...given, markdown: true }).output.only, 'markdown');
  });

  it('is refused where options exclude or need each other, or one is given twice', () => {
    /** @param {object} options @returns {string} the option, and what it does not go with */
    const refusal = (options) => {
      try {
        requestOf({ ...given, config: 'smoke', ...options });
      } catch (error) {
        const { code, data } = /** @type {any} */ (error);
        return [code, data.option, data.other ?? []].flat().join(' ');
      }
      return 'none';
    };
    const nats = 'nats://a:1';
    /** @type {[object, string][]} */
    const rows = [
      [{ markdown: true, 'dry-run': false }, 'none'],
      [{ markdown: true, 'dry-run': true }, 'EOPTION markdown dry-run'],
      [{ debug: true, live: '' }, 'EOPTION debug live'],
      [{ 'otlp-public': true }, 'EOPTION otlp-public'],
      [{ build: 'make' }, 'EOPTION build'],
      [{ base: ['a', 'b'], build: 'make' }, 'EOPTION base'],
      [{ tolerance: '5%' }, 'EOPTION tolerance'],
      [{ nats }, 'EOPTION nats'],
      [{ agents: '2' }, 'EOPTION agents'],
      [{ 'server-agent': 's1' }, 'EOPTION server-agent'],
      [{ 'server-agent': 's1', tolerate: '1' }, 'EOPTION tolerate'],
      [{ agents: '2', nats, 'nats-token': '/t', 'nats-creds': '/c' }, 'EOPTION nats-creds'],
      [{ agents: '2', nats: 'nats://u:password@a:1', 'nats-token': '/t' }, 'EOPTION nats-token'],
      [{ agents: '2', nats, 'nats-key': '/k' }, 'EOPTION nats-key'],
    ];
    assert.deepEqual(
      rows.map(([options]) => refusal(options)),
      rows.map(([, expected]) => expected),
    );
  });
});
