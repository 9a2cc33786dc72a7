// ACE's round-trip test: its command, and its protocol against a server that counts as ACE's own does.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startAceServer } from '../fixtures/ace-server.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';

const PRIMERS = 100;

/** @param {string} text of the command @returns {{ points: number, bins: string, counts: number[] }} */
function read(text) {
  const line = (/** @type {string} */ name) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
  const counts = [...text.matchAll(/ {2}: +(\d+) {4}\d\.\d{3} {4}\d\.\d{3}$/gm)].map(([, count]) => Number(count));
  return { points: Number(line('num_points')), bins: line('num_bins'), counts };
}

describe("ACE's round-trip test", function () {
  this.timeout(120_000);
  const box = sandbox();

  /** @param {string[]} args of the command */
  async function ace(args) {
    const server = await startAceServer();
    try {
      const run = box.start([process.execPath, CLI, 'ace', ...box.folders(), ...args, String(server.port)]);
      const { code } = await run.ended();
      return { run, code, served: server.served.filter(({ announced }) => announced !== 1) };
    } finally {
      await server.close();
    }
  }

  it.slow('announces exactly what it sends, and counts all but the primers', async () => {
    const { run, code, served } = await ace(['-t', 'tcp', '-s', '7', '-c', '200', '-b', '4', '-M', '500000', '-p']);
    assert.equal(code, 0, run.story());
    assert.deepEqual(served, [{ announced: 200 + PRIMERS, messages: 200 + PRIMERS, bytes: (200 + PRIMERS) * 128 }]);
    const { points, bins, counts } = read(run.stdout);
    assert.deepEqual([points, bins, counts.length], [200, '4 0 500000', 4 + 2]);
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      200,
    );
    assert.ok(
      run.stdout.startsWith('\n\n\t\t\t\tHistogram ACE Unmarshalled') && run.stdout.endsWith('\n\n'),
      run.story(),
    );
  });

  it.slow('takes the options with underscores', async () => {
    const words = ['--test_transport_protocol', 'tcp', '--payload_size_power_of_2', '0', '--test_iterations', '10'];
    const histogram = ['--histogram_min_bin', '1000000', '--histogram_max_bin', '2000000'];
    const rest = ['--histogram_num_outliers', '3', '--test_enable_nagle', '--client_connect_addr', '127.0.0.1'];
    const { run, code, served } = await ace([...words, ...histogram, ...rest, '--server_port']);
    assert.equal(code, 0, run.story());
    assert.deepEqual(served, [{ announced: 10 + PRIMERS, messages: 10 + PRIMERS, bytes: 10 + PRIMERS }]);
    const [, outliers = ''] = run.stdout.split('outliers:\n');
    assert.deepEqual([read(run.stdout).counts[0], outliers.trim().split('\n').length], [10, 3], run.story());
  });

  it.slow('runs every message size into one file', async () => {
    const { run, code, served } = await ace(['-t', 'tcp', '-c', '10', '-b', '1', '--spectrum', '-p']);
    assert.equal(code, 0, run.story());
    const sizes = Array.from({ length: 17 }, (_, power) => 2 ** power);
    assert.deepEqual(
      served.map(({ bytes }) => bytes / (10 + PRIMERS)),
      sizes,
    );
    const logs = join(box.folder, 'logs-0');
    const [file] = readdirSync(logs).filter((name) => name.endsWith('.spectrum'));
    assert.equal(readFileSync(join(logs, file), 'utf8'), run.stdout);
    assert.equal(run.stdout.match(/num_points: 10$/gm)?.length, sizes.length);
    assert.equal(run.summary().legs.length, sizes.length, 'all of them are one run');
  });

  for (const [what, scenario, announced] of /** @type {const} */ ([
    ['with one transfer per connection', { workload: 'once', pause: undefined }, 1],
    ['that reconnects for each transfer', { workload: 'reconnect', pause: undefined, duration: '500ms' }, 1],
    ['with a lifetime in transfers', { pause: '0s', lifetime: { transfers: 7 }, transfers: 210 }, 7],
  ])) {
    it.slow(`a run ${what} lets ACE's server close in peace`, async () => {
      const { leg, served } = await stress({ connections: 10, ...scenario });
      assert.deepEqual([leg.rejects.total, leg.errors.total], [0, 0]);
      assert.ok(served.length > 10, `${served.length} connections`);
      assert.deepEqual(new Set(served.slice(1).map((one) => one.announced)), new Set([announced]));
      // those that the end of the leg found in the middle are as short as they were
      const cut = served.slice(1).filter(({ messages }) => messages !== announced);
      assert.ok(cut.length <= 10 && (announced > 1 || cut.length === 0), JSON.stringify(cut));
    });
  }

  it('sends messages without a byte', async () => {
    const { leg, served } = await stress({ connections: 1, payload: '0B', transfers: 20, workers: 1, duration: '30s' });
    assert.equal(leg.transfers.count, 20);
    assert.deepEqual(served.at(-1), { announced: 20, messages: 20, bytes: 0 });
  });

  /** @param {Record<string, unknown>} scenario */
  async function stress(scenario) {
    const server = await startAceServer();
    try {
      const run = box.stress({ protocol: 'ace', target: `127.0.0.1:${server.port}`, ...scenario });
      await run.endsWith(0);
      return { leg: run.summary().legs[0], served: server.served };
    } finally {
      await server.close();
    }
  }
});
