// environment.json: the command as a user would type it, and the process of the run.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readHost } from '../../client/machine/host.js';
import { isAlive, ownPlace } from '../../client/machine/process-identity.js';
import { processStartTime } from '../../client/machine/process-stat.js';
import { commandLineOf, describeEnvironment } from '../../client/store/environment.js';

describe('environment', () => {
  it('quotes the command line as it would be typed', () => {
    for (const [words, script, line] of /** @type {[string[], string | undefined, string][]} */ ([
      [['stress', '--config', '10k-1kb'], 'stress', 'npm run stress -- --config 10k-1kb'],
      [['stress'], 'stress', 'npm run stress'],
      [['stress', '--command', "./mine 'x'"], undefined, "broadside stress --command './mine '\\''x'\\'''"],
      [['stress', '--json'], 'test', 'broadside stress --json'], // a script of another name has only started it
    ]))
      assert.equal(commandLineOf(['/opt/node', '/opt/cli.js', ...words], { npm_lifecycle_event: script }), line);
  });

  it('names the process of the run and leaves out what cannot be read', async () => {
    const t0 = { monotonicNs: 1n, epochMs: 0 };
    const argv = ['node', 'cli.js', 'stress', '--json'];
    const found = await describeEnvironment({ t0, host: await readHost({ logs: '.' }), argv });
    const own = { ...ownPlace(), pid: process.pid, born: processStartTime(process.pid) };
    assert.deepEqual(found.process, own);
    assert.match(String(own.born), /^[1-9][0-9]*$/);
    assert.equal(isAlive(JSON.parse(JSON.stringify(found.process))), true);
    assert.deepEqual([found.argv, found.t0], [argv, { monotonicNs: '1', epochMs: 0, iso: '1970-01-01T00:00:00.000Z' }]);
    assert.ok(found.cpuMhz === undefined || /** @type {any} */ (found.cpuMhz).now > 0);
    assert.ok(Object.values(found).every((value) => value !== null));
    assert.equal(found.tcp?.synRetryNs[0], found.tcp?.initialRtoNs);
    // a network namespace other than the first has none
    assert.equal((found.tcp?.memPages?.high ?? 0) > 0, existsSync('/proc/sys/net/ipv4/tcp_mem'));
  });

  it('records no name and password of a URL', async () => {
    const t0 = { monotonicNs: 1n, epochMs: 0 };
    const urls = ['--nats', 'nats://ann:s3cret@host:4222', '--nats=tls://ann:p@s3cret@host'];
    const argv = ['node', 'cli.js', 'stress', ...urls];
    const found = await describeEnvironment({ t0, host: await readHost({ logs: '.' }), argv });
    const [, , , , ...shown] = /** @type {string[]} */ (found.argv);
    assert.deepEqual(shown, ['nats://...@host:4222', '--nats=tls://...@host']);
    assert.doesNotMatch(JSON.stringify(found), /ann|s3cret/);
  });
});
