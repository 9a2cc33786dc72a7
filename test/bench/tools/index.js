#!/usr/bin/env node
// The client compared with wrk, redis-benchmark and memcaslap: requests per second and client CPU time per request,
// with the same load on the same server. Tools that are not installed are left out. ../README.md explains the method.

import { readFileSync } from 'node:fs';
import { EnvironmentError } from '../../../client/errors.js';
import { allowedCpus } from '../../../client/machine/host.js';
import { build } from '../../../servers/launcher/index.js';
import { findProgram } from '../../../servers/launcher/process/find-program.js';
import { conduct, main } from '../conduct.js';
import { keeps } from '../must.js';
import { connectionsOf, ioOption, namesOf, parseOptions, windowOf, windowOption } from '../options.js';
import { cost, perSecond } from '../round-trips.js';
import { placementText, placesOf } from '../servers/placement.js';
import { CONTESTS, CONTEST_NAMES, OURS, cellsOf, takesPart } from './contests.js';
import { markdownOf } from './markdown.js';
import { measureTool, secondsOf } from './measure.js';
import { MUSTS, resultsOf } from './result.js';

const NAME = 'tools';
const SAYS = 'Measures the client CPU per request of the engine, wrk, redis-benchmark and memcaslap.';
const PAYLOAD_BYTES = 64;
const PIPELINES = [...new Set(CONTEST_NAMES.flatMap((name) => CONTESTS[name].pipelines))].map(String);
const TOOLS = CONTEST_NAMES.map((name) => CONTESTS[name].tool);

const cpus = allowedCpus(readFileSync('/proc/self/status', 'utf8'));
const more = {
  contests: /** @type {const} */ ({ type: 'string', default: CONTEST_NAMES.join(','), describe: 'list of contests' }),
  connections: /** @type {const} */ ({ type: 'string', default: '50', describe: 'list of numbers of connections' }),
  pipelines: /** @type {const} */ ({
    type: 'string',
    default: PIPELINES.join(','),
    describe: 'list of pipeline depths, for redis',
  }),
  ...windowOption,
  ...ioOption,
};

/** @param {import('./contests.js').ContestName[]} wanted @returns {{here: typeof wanted, notes: string[]}} */
function look(wanted) {
  /** @type {string[]} */
  const notes = [];
  const here = wanted.filter((name) => {
    const { tool, tools, program } = CONTESTS[name];
    const missing = [[tool, tools], ...(program ? [[program, program]] : [])].filter(([one]) => !findProgram(one));
    for (const [one, from] of missing) {
      notes.push(`Nothing over ${name}: ${one} is not installed (apt-get install ${from}).`);
    }
    return missing.length === 0;
  });
  if (here.length > 0) return { here, notes };
  throw new EnvironmentError(['nothing can be compared here', ...notes].join('\n'), { code: 'ENOTOOL' });
}

await main(NAME, async (words, signal) => {
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: 5, more });
  const seconds = windowOf(options.seconds);
  const { io } = options;
  const wanted = namesOf(options.contests, CONTEST_NAMES, '--contests');
  const { here, notes } = options.from === undefined ? look(wanted) : { here: wanted, notes: [] };
  const axes = {
    connections: connectionsOf(options.connections),
    pipelines: namesOf(options.pipelines, PIPELINES, '--pipelines').map(Number),
  };
  const places = placesOf('apart', 'one', cpus);
  return conduct(
    {
      name: NAME,
      cells: cellsOf({ contests: here, ...axes, payloadBytes: PAYLOAD_BYTES }),
      clients: [...TOOLS, ...OURS],
      measures: takesPart,
      notes,
      how: `windows of ${seconds} s, values of ${PAYLOAD_BYTES} B, ${placementText('apart', cpus)}, engine over io ${io}`,
      secondsOf: () => secondsOf({ seconds }),
      prepare: async () => void (await build({ names: ['epoll'] })),
      measure: ({ cell, client }, stop) => measureTool({ cell, client, seconds, io, ...places }, stop),
      lineOf: ({ cell, client, figures }) => {
        const where = `${cell.contest} ${cell.connections} x P ${cell.pipeline}`.padEnd(22);
        return `${where} ${client.padEnd(16)} ${cost(figures).toFixed(2)} us  ${perSecond(figures).toFixed(0)}/s`;
      },
      resultsOf,
      markdownOf,
      keeps: (results) => results.every((result) => Object.values(MUSTS).every((must) => keeps(must, result))),
    },
    options,
    signal,
  );
});
