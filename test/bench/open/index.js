#!/usr/bin/env node
// The time needed to open very many idle connections, and their memory: Broadside compared with a bare C opener. Both
// have the source addresses and server processes of Broadside's own plan, with the workers that it has for the largest
// number of connections; the bare opener has a process for each engine. ../README.md explains the method.

import { count } from '../../../client/words/format.js';
import { conduct, main } from '../conduct.js';
import { connectionsOf, parseOptions, wholeOf } from '../options.js';
import { legOf } from '../planned.js';
import { markdownOf } from './markdown.js';
import { CLIENTS, measureOpen, prepare } from './measure.js';
import { scenarioOf } from './openers.js';
import { allKept, resultsOf } from './result.js';

const NAME = 'open';
const SAYS = 'Measures the time to open idle connections and the memory they take, compared with a bare C opener.';
const MOST_CONNECTIONS = 1_000_000;
const MOST_HOLD_SECONDS = 60;
/** Starting and ending, in addition to opening and holding. */
const REST_SECONDS = 5;
const CONNECTIONS_PER_SECOND = 10_000;
const more = {
  connections: /** @type {const} */ ({
    type: 'string',
    default: '10000,80000',
    describe: 'list of numbers of connections',
  }),
  hold: /** @type {const} */ ({ type: 'number', default: 5, describe: 'seconds for which they are held and observed' }),
};

await main(NAME, async (words, signal) => {
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: 6, more });
  const holdSeconds = wholeOf(options.hold, '--hold', MOST_HOLD_SECONDS);
  const counts = connectionsOf(options.connections, MOST_CONNECTIONS);
  const { workers } = await legOf(scenarioOf({ connections: Math.max(...counts), workers: 'auto' }));
  return conduct(
    {
      name: NAME,
      cells: counts.map((connections) => ({ connections })),
      clients: CLIENTS,
      how: `${workers} workers, held for ${holdSeconds} s`,
      secondsOf: ({ connections }) => REST_SECONDS + holdSeconds + (2 * connections) / CONNECTIONS_PER_SECOND,
      prepare,
      measure: ({ cell, client }, stop) => measureOpen({ ...cell, client, workers, holdSeconds }, stop),
      lineOf: ({ cell, client, figures }) => {
        const { openSeconds, clientRssBytes, synsAgain, failures } = figures;
        const [seconds, megabytes] = [openSeconds.toFixed(3), (clientRssBytes / 1e6).toFixed(1)];
        const rest = `${synsAgain} SYNs again${failures > 0 ? `, ${failures} failed` : ''}`;
        return `${count(cell.connections).padEnd(8)} ${client.padEnd(9)} ${seconds} s  ${megabytes} MB  ${rest}`;
      },
      resultsOf,
      markdownOf,
      keeps: allKept,
    },
    options,
    signal,
  );
});
