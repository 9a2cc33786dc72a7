// The pure parts of the bench churn: command lines and output of the other tools, missing tools, ratios and tables.

import assert from 'node:assert/strict';
import { EnvironmentError } from '../../client/errors.js';
import { clientsHere, CRR_VARIABLE } from '../bench/churn/clients.js';
import { markdownOf } from '../bench/churn/markdown.js';
import { resultsOf } from '../bench/churn/result.js';
import {
  abCommand,
  crrCommand,
  crrServerCommand,
  wrkCommand,
  readAb,
  readCpuSeconds,
  readCrr,
  readWrk,
} from '../bench/churn/tools.js';
import { conditions } from '../fixtures/bench-conditions.js';

const AB = `Concurrency Level:      20
Time taken for tests:   1.002 seconds
Complete requests:      32402
Failed requests:        3
   (Connect: 0, Receive: 3, Length: 0, Exceptions: 0)
Non-2xx responses:      2
Total transferred:      4147456 bytes
`;
const WRK = `Running 1s test @ http://127.0.0.1:7001/
  1 threads and 20 connections
    Latency   375.82us  342.76us   5.12ms   95.43%
  34447 requests in 1.10s, 4.20MB read
  Socket errors: connect 1, read 2, write 3, timeout 4
Requests/sec:  31287.47
`;
const CRR = 'test_length=1\ntime_start=13285.5\nnum_transactions=38781\ntime_end=13286.75\nthroughput=45103.88\n';

describe('the tools of the bench churn', () => {
  it('are called so that all do the same work for the same time', () => {
    const how = { port: 7001, controlPort: 7002, connections: 100, seconds: 2, bytes: 128 };
    assert.equal(abCommand(how).join(' '), 'ab -q -r -t 2 -n 400000 -c 100 http://127.0.0.1:7001/');
    assert.deepEqual(wrkCommand(how).slice(1, 6), ['-t1', '-c100', '-d2s', '-H', 'Connection: close']);
    const [server, client] = [crrServerCommand('/x/tcp_crr', how), crrCommand('/x/tcp_crr', how)];
    const shared = '--nolog -T 1 -C 7002 -P 7001 -Q 128 -R 128';
    assert.equal(client.join(' '), `/x/tcp_crr -c -H 127.0.0.1 -F 100 -l 2 ${shared}`);
    assert.ok(server.join(' ').endsWith(shared) && !server.includes('-c'));
  });

  it('have output that is parsed', () => {
    assert.deepEqual(readAb(AB), { connections: 32402, seconds: 1.002, failures: 5 });
    assert.deepEqual(readWrk(WRK), { connections: 34447, seconds: 1.1, failures: 10 });
    assert.equal(readWrk(WRK.replace(/ {2}Socket.*\n/, '')).failures, 0);
    assert.equal(readWrk(WRK.replace('1.10s', '1.50m')).seconds, 90);
    assert.deepEqual(readCrr(CRR), { connections: 38781, seconds: 1.25, failures: 0 });
    assert.ok(Math.abs(readCpuSeconds(`${AB}\n0.059 0.631\n`) - 0.69) < 1e-9);
  });

  it('are rejected when their output shows other work', () => {
    assert.throws(() => readAb('apr_socket_recv: Connection refused (111)'), /Complete requests.* in: apr_socket_recv/);
    assert.throws(() => readWrk('unable to connect'), /requests in/);
    assert.throws(() => readCpuSeconds('real 0.1'), /no CPU time/);
  });

  it('are left out with a message when they are missing', () => {
    const wanted = /** @type {const} */ (['engine', 'ab', 'wrk', 'tcp_crr']);
    const all = clientsHere(wanted, { [CRR_VARIABLE]: process.execPath }, (program) => `/usr/bin/${program}`);
    assert.deepEqual(all, { clients: [...wanted], notes: [] });
    const none = clientsHere(wanted, {}, () => null);
    assert.deepEqual(none.clients, ['engine']);
    assert.equal(none.notes.length, 3);
    assert.match(none.notes[0] ?? '', /^ab is left out: .*apt-get install apache2-utils/);
    assert.match(none.notes[2] ?? '', /BROADSIDE_NEPER_TCP_CRR/);
    const wrong = { [CRR_VARIABLE]: '/no/such/tcp_crr' };
    assert.throws(() => clientsHere(wanted, wrong, () => null), EnvironmentError);
    assert.deepEqual(
      clientsHere(['engine'], wrong, () => null),
      { clients: ['engine'], notes: [] },
    );
  });
});

describe('the results of the bench churn', () => {
  const cells = [{ connections: 100 }];
  const clients = /** @type {const} */ (['engine', 'ab']);
  const measurements = [1, 2, 3].flatMap((round) =>
    clients.map((client) => {
      const cpuSeconds = (client === 'engine' ? 0.3 : 0.2) * round;
      const own = client === 'ab' ? { failures: round } : { failures: 0, io: 'epoll' };
      const figures = { connections: 20_000, seconds: 2, cpuSeconds, ...own };
      return { cell: { connections: 100 }, round, client, figures };
    }),
  );

  it('are ratios of the engine to each other client within a round', () => {
    const [result] = resultsOf({ conditions, cells, clients, measurements });
    const [engine, ab] = result?.clients ?? [];
    assert.ok(result && engine && ab);
    assert.deepEqual([engine.costRatio, engine.speedRatio, engine.perSecond], [null, null, 10_000]);
    assert.ok(Math.abs((ab.costRatio?.low ?? 0) - 1.5) < 1e-9 && Math.abs((ab.costRatio?.high ?? 0) - 1.5) < 1e-9);
    assert.equal(ab.speedRatio?.median, 1);
    assert.deepEqual([engine.failures, ab.failures], [0, 6]);
    const text = markdownOf([result], conditions);
    assert.match(text, /\| engine \(epoll\) \| 30\.0 \| {2}\| 10,000 \| {2}\| 0 \|/);
    assert.match(text, /\| ab \| 20\.0 \| 1\.50 \(1\.50\.\.1\.50\) \| 10,000 \| 1\.00 \(1\.00\.\.1\.00\) \| 6 \|/);
  });

  it('compare tcp_crr with the engine that closes by RST', () => {
    const cost = { engine: 4, 'engine-reset': 3, tcp_crr: 6 };
    const three = /** @type {(keyof typeof cost)[]} */ (Object.keys(cost));
    const one = three.map((client) => {
      const figures = { connections: 1000, seconds: 1, cpuSeconds: cost[client], failures: 0 };
      return { cell: { connections: 100 }, round: 1, client, figures };
    });
    const [result] = resultsOf({ conditions, cells, clients: three, measurements: one });
    assert.deepEqual(
      result?.clients.map(({ costRatio }) => costRatio?.median ?? null),
      [null, 4 / 3, 0.5],
    );
  });

  it('have no ratios when the engine was not measured', () => {
    const [result] = resultsOf({ conditions, cells, clients: ['ab'], measurements });
    assert.deepEqual(
      result?.clients.map(({ costRatio }) => costRatio),
      [null],
    );
  });
});
