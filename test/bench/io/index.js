#!/usr/bin/env node
// epoll against io_uring in the engine: client CPU per transfer, throughput, response times. ../README.md explains the
// method.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { backends } from '../../../client/engine/index.js';
import { EnvironmentError } from '../../../client/errors.js';
import { payload } from '../../../client/words/format.js';
import { WARMUP_SECONDS, measureAgainstEpoll, secondsAgainstEpoll } from '../against-epoll.js';
import { BUILD } from '../build.js';
import { conduct, main } from '../conduct.js';
import { engineCommand } from '../engine-command.js';
import { connectionsOf, namesOf, parseOptions, payloadsOf, windowOf, windowOption } from '../options.js';
import { cost, perSecond } from '../round-trips.js';
import { BACKENDS, HEARTBEAT_SECONDS, WORKLOADS, cellsOf } from './cells.js';
import { markdownOf } from './markdown.js';
import { resultsOf } from './result.js';

const NAME = 'io';
const SAYS = 'Measures the client CPU per transfer of the engine over epoll and over io_uring.';
const LOG_FILE = join(BUILD, 'transfers.arrows');
const more = {
  connections: /** @type {const} */ ({
    type: 'string',
    default: '100,1000,10000',
    describe: 'list of numbers of connections',
  }),
  payloads: /** @type {const} */ ({ type: 'string', default: '1B,1KiB,64KiB', describe: 'list of payload sizes' }),
  workloads: /** @type {const} */ ({ type: 'string', default: WORKLOADS.join(','), describe: 'list of workloads' }),
  seconds: { ...windowOption.seconds, default: 4 },
};

/**
 * @param {import('../rounds.js').Step<import('./cells.js').Cell, import('./cells.js').Backend>} step
 * @param {number} windowSeconds
 * @param {AbortSignal} signal
 * @returns {Promise<import('../engine-client.js').Figures>}
 */
async function measure({ cell, client: io }, windowSeconds, signal) {
  const wish = { ...cell, io, warmupSeconds: WARMUP_SECONDS, windowSeconds, logFile: LOG_FILE };
  const heart = cell.workload === 'hold' ? { heartbeatSeconds: HEARTBEAT_SECONDS } : {};
  try {
    return await measureAgainstEpoll({ command: engineCommand({ ...wish, ...heart }), windowSeconds }, signal);
  } finally {
    rmSync(LOG_FILE, { force: true });
  }
}

await main(NAME, (words, signal) => {
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: 6, more });
  const seconds = windowOf(options.seconds);
  for (const { name, available, why } of backends()) {
    if (available || options.from !== undefined) continue;
    throw new EnvironmentError(`${name} cannot be measured here: ${why}`, { code: 'EIO' });
  }
  const cells = cellsOf({
    workloads: namesOf(options.workloads, WORKLOADS, '--workloads'),
    connections: connectionsOf(options.connections),
    payloads: payloadsOf(options.payloads),
  });
  return conduct(
    {
      name: NAME,
      cells,
      clients: BACKENDS,
      how: `windows of ${seconds} s after ${WARMUP_SECONDS} s of warm-up`,
      secondsOf: ({ connections }) => secondsAgainstEpoll(connections, seconds),
      measure: (step, stop) => measure(step, seconds, stop),
      lineOf: ({ cell, client, figures }) => {
        const where = `${cell.workload} ${cell.connections} x ${payload(cell.payloadBytes)}`.padEnd(24);
        return `${where} ${client.padEnd(8)} ${cost(figures).toFixed(2)} us  ${perSecond(figures).toFixed(0)}/s`;
      },
      resultsOf,
      markdownOf,
      keeps: () => true,
    },
    options,
    signal,
  );
});
