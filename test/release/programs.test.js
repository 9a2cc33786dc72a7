// The scenarios of third-party programs (nginx, redis-server, ...), unchanged except for duration and number of
// connections.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkAvailability, listServers } from '../../servers/launcher/index.js';
import { skip } from '../skip.js';
import { codesOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, ROOT, sandbox } from '../fixtures/e2e-run.js';

const SHORTENED = [
  '--rounds',
  '1',
  '--connections',
  '20',
  '--ramp.add',
  '20',
  '--ramp.every',
  '200ms',
  '--duration',
  '500ms',
];
/** What each reply is counted as. @type {Record<string, string>} */
const KINDS = {
  'nginx-http': '2xx',
  'nginx-https': '2xx',
  'redis-get': 'ok',
  'redis-set': 'ok',
  'redis-pipeline': 'ok',
  'memcached-get': 'ok',
  'nats-pubsub': 'ok',
};

/** @type {[name: string, kind: string, flags: string[]][]} */
const CASES = [
  ['redis-get', 'ok', ['--listen', 'unix']],
  ['memcached-get', 'ok', ['--listen', 'unix']],
];
for (const [name, kind] of Object.entries(KINDS)) CASES.push([name, kind, []]);

/** @param {string} name @returns {string[]} the servers of a scenario, each once */
function serversOf(name) {
  const { servers } = JSON.parse(readFileSync(join(ROOT, 'config', `${name}.json`), 'utf8'));
  return [...new Set(servers.map((/** @type {any} */ entry) => entry.name ?? entry))];
}

describe('the scenario', function () {
  this.timeout(120_000);
  const box = sandbox();

  for (const [name, kind, flags] of CASES) {
    it(`${name} ${flags.length === 0 ? 'runs as it is' : `runs with ${flags.join(' ')}`}`, async function () {
      const wanted = serversOf(name);
      const found = await checkAvailability(listServers().filter((server) => wanted.includes(server.name)));
      assert.equal(found.length, wanted.length);
      const [lacking] = found.filter(({ available }) => !available);
      if (lacking) skip(this, `${lacking.why} (${lacking.remedy})`);
      const run = box.start([
        process.execPath,
        CLI,
        'stress',
        '--config',
        `${name}.json`,
        ...SHORTENED,
        ...flags,
        ...box.folders(),
      ]);
      await run.endsWith(0);
      const { legs, summary } = await assertBooks(run);
      assert.equal(summary.scenario, name);
      for (const { leg } of legs) {
        const { count, failed } = leg.transfers;
        assert.equal(leg.targets[0].startsWith('unix:'), flags.includes('unix'), leg.targets[0]);
        assert.ok(count >= 20, `${leg.label}: ${count} transfers`);
        assert.deepEqual(leg.statuses, { total: count, [kind]: count }, leg.label);
        assert.deepEqual([leg.errors.total, leg.rejects.total, failed, leg.connections.peakOpen], [0, 0, 0, 20]);
        assert.equal(leg.handshakeTimeNs?.count, name === 'nginx-https' ? 20 : undefined);
        assert.deepEqual(
          codesOf(leg.warnings).filter((code) => code.startsWith('server-')),
          [],
        );
      }
    });
  }

  it('reports what to install if its program is missing', async () => {
    const run = box.start([process.execPath, CLI, 'stress', '--config', 'redis-get.json', '--json', ...box.folders()], {
      env: { PATH: box.folder },
    });
    await run.endsWith(3);
    const { code, data } = run.failure();
    assert.deepEqual(
      [code, data.unavailable.map((/** @type {any} */ { names }) => names)],
      ['ESERVER', [['redis-server']]],
    );
    assert.equal(data.unavailable[0].remedy, 'apt-get install redis-server');
    assert.equal(run.folder, null);
  });
});
