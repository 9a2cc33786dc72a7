// The bench tools: parsing the tools' output, the two sides of each contest, and requirements on every row.

import assert from 'node:assert/strict';
import { memcaslapCommand, readMemcaslapSaid, readRedisSaid, redisCommand } from '../bench/tools/commands.js';
import { CONTEST_NAMES, CONTESTS, OURS, cellsOf, takesPart } from '../bench/tools/contests.js';
import { markdownOf } from '../bench/tools/markdown.js';
import { MUSTS, resultsOf } from '../bench/tools/result.js';
import { judge, keeps } from '../bench/must.js';
import { conditions } from '../fixtures/bench-conditions.js';

const cells = cellsOf({ contests: CONTEST_NAMES, pipelines: [1, 16, 128], connections: [50], payloadBytes: 64 });
const load = { port: 6000, connections: 50, pipeline: 16, payloadBytes: 64, seconds: 2 };

describe('the bench tools', () => {
  it('gives the tools the same load', () => {
    assert.match(
      redisCommand('get', load, 1000).join(' '),
      /^redis-benchmark -t get --csv .*-c 50 -P 16 -d 64 .*-n 1000$/,
    );
    assert.match(memcaslapCommand(load).join(' '), /^memcaslap -s 127\.0\.0\.1:6000 -T 1 -c 50 -t 2s -X 64/);
  });

  it('parses the output of the tools and rejects anything else', () => {
    const csv = '"test","rps","avg_latency_ms"\n"GET","98328.42","0.335"\n';
    assert.deepEqual(readRedisSaid(csv, 98328.42), { roundTrips: 98328.42, seconds: 1, failures: 0 });
    const said = 'cmd_get: 9\ncmd_set: 1\nget_misses: 2\n\nRun time: 2.0s Ops: 120016 TPS: 60008 Net_rate: 24.2M/s\n';
    assert.deepEqual(readMemcaslapSaid(said), { roundTrips: 120016, seconds: 2, failures: 2 });
    assert.throws(() => readRedisSaid('ERR', 5), /no rate/);
    assert.throws(() => readMemcaslapSaid('Connection refused'), /no count/);
  });

  it('measures each pipeline depth with the tool, and with the engine with and without its log', () => {
    assert.deepEqual(
      cells.filter(({ contest }) => contest === 'redis').map(({ pipeline }) => pipeline),
      [1, 16, 128],
    );
    const all = [...new Set(Object.values(CONTESTS).map(({ tool }) => tool)), ...OURS];
    for (const cell of cells) assert.equal(all.filter((name) => takesPart(cell, name)).length, 3);
  });

  it('takes ratios within a round and judges each', () => {
    const [cell] = cells;
    const us = { wrk: 4, engine: 5, 'engine-no-log': 3 };
    const measurements = [1, 2, 3].flatMap((round) =>
      Object.entries(us).map(([client, cost]) => ({
        cell,
        round,
        client,
        figures: { roundTrips: 1e6 * round, seconds: 1, failures: 0, cpuSeconds: cost * round, io: 'epoll' },
      })),
    );
    const results = resultsOf({ conditions, cells, clients: Object.keys(us), measurements });
    assert.equal(results.length, 1);
    assert.deepEqual([results[0].cpu.median, results[0].cpuNoLog.median, results[0].speed.median], [1.25, 0.75, 1]);
    assert.deepEqual([judge(MUSTS.cpu, results[0]), keeps(MUSTS.cpu, results[0])], ['missed', false]);
    assert.deepEqual([judge(MUSTS.cpuNoLog, results[0]), keeps(MUSTS.cpuNoLog, results[0])], ['met', true]);
    const text = markdownOf(results, conditions);
    assert.match(text, /\| engine \/ tool \| 1\.15 \| 0 of 1 \| 0 \| 1 \| 0 \|/);
    assert.match(text, /\| 50 \| 1 \| 4\.00 \| 5\.00 \| 3\.00 \| \*\*1\.25 \(1\.25\.\.1\.25\)\*\* \| 0\.75/);
  });
});
