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
    const environment = await describeEnvironment({ t0, host: await readHost({ logs: '.' }), argv });
    const identity = { ...ownPlace(), pid: process.pid, born: processStartTime(process.pid) };
    assert.deepEqual(environment.process, identity);
    assert.match(String(identity.born), /^[1-9][0-9]*$/);
    assert.equal(isAlive(JSON.parse(JSON.stringify(environment.process))), true);
    assert.deepEqual(
      [environment.argv, environment.t0],
      [argv, { monotonicNs: '1', epochMs: 0, iso: '1970-01-01T00:00:00.000Z' }],
    );
    assert.ok(environment.cpuMhz === undefined || /** @type {any} */ (environment.cpuMhz).now > 0);
    assert.ok(Object.values(environment).every((value) => value !== null));
    assert.equal(environment.tcp?.synRetryNs[0], environment.tcp?.initialRtoNs);
    // a network namespace other than the first has none
    assert.equal((environment.tcp?.memPages?.high ?? 0) > 0, existsSync('/proc/sys/net/ipv4/tcp_mem'));
  });

  it('records no name and password of a URL', async () => {
    const t0 = { monotonicNs: 1n, epochMs: 0 };
    const urls = ['--nats', 'nats://ann:s3cret@host:4222', '--nats=tls://ann:p@s3cret@host'];
    const argv = ['node', 'cli.js', 'stress', ...urls];
    const environment = await describeEnvironment({ t0, host: await readHost({ logs: '.' }), argv });
    const [, , , , ...shown] = /** @type {string[]} */ (environment.argv);
    assert.deepEqual(shown, ['nats://...@host:4222', '--nats=tls://...@host']);
    assert.doesNotMatch(JSON.stringify(environment), /ann|s3cret/);
  });
});
