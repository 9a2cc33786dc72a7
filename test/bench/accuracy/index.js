#!/usr/bin/env node
// Accuracy of the response times: the engine's percentiles compared with those of a server that records its own delay
// of each request. It tests times, not speed; the load is light. ../README.md explains the method.

import { readFileSync } from 'node:fs';
import { backends } from '../../../client/engine/index.js';
import { allowedCpus } from '../../../client/machine/host.js';
import { conduct, main } from '../conduct.js';
import { keeps } from '../must.js';
import { connectionsOf, namesOf, parseOptions, windowOf, windowOption } from '../options.js';
import { placementText, placesOf } from '../servers/placement.js';
import { MEAN_US, cellsOf } from './cells.js';
import { markdownOf } from './markdown.js';
import { measureAccuracy, prepare, secondsOf } from './measure.js';
import { TRUE, resultsOf } from './result.js';

const NAME = 'accuracy';
const SAYS = 'Compares response times with the delays that a server records itself.';
const LOOPS = /** @type {const} */ (['closed', 'open']);
const MOST_CONNECTIONS = 100;

const ios = backends()
  .filter(({ available }) => available)
  .map(({ name }) => name);
const cpus = allowedCpus(readFileSync('/proc/self/status', 'utf8'));
const more = {
  loops: /** @type {const} */ ({ type: 'string', default: LOOPS.join(','), describe: 'list of loops' }),
  ios: /** @type {const} */ ({ type: 'string', default: ios.join(','), describe: 'list of transports' }),
  connections: /** @type {const} */ ({
    type: 'string',
    default: '1,10,100',
    describe: 'list of numbers of connections',
  }),
  seconds: { ...windowOption.seconds, default: 5 },
};

await main(NAME, async (words, signal) => {
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: 5, more });
  const seconds = windowOf(options.seconds);
  const cells = cellsOf({
    loops: namesOf(options.loops, LOOPS, '--loops'),
    ios: /** @type {('epoll' | 'io_uring')[]} */ (namesOf(options.ios, ios, '--ios')),
    connections: connectionsOf(options.connections, MOST_CONNECTIONS),
  });
  return conduct(
    {
      name: NAME,
      cells,
      clients: ['engine'],
      how: `windows of ${seconds} s, delays of ${MEAN_US / 1000} ms on average, ${placementText('apart', cpus)}`,
      secondsOf: () => secondsOf({ seconds }),
      prepare,
      measure: ({ cell }, stop) => measureAccuracy({ cell, seconds, ...placesOf('apart', 'one', cpus) }, stop),
      lineOf: ({ cell, figures }) => {
        const errors = figures.clientNs.map((ns, i) => ((ns - (figures.serverNs[i] ?? NaN)) / 1000).toFixed(0));
        const where = `${cell.loop} ${cell.io} ${cell.connections}`.padEnd(22);
        return (
          `${where} ${figures.transfers} transfers, ${figures.delays} delays; errors of ` +
          `${figures.percents.map((one) => `p${one}`).join(' ')}: ${errors.join(' ')} us`
        );
      },
      resultsOf,
      markdownOf,
      keeps: (results) => results.every((result) => keeps(TRUE, result)),
    },
    options,
    signal,
  );
});
