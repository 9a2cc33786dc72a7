#!/usr/bin/env node
// Our servers compared with sockperf, nginx, haproxy, tokio and Go: transfers per second, and server CPU time per
// transfer, under the same client. Servers that are not installed are left out. ../README.md explains the method.

import { readFileSync } from 'node:fs';
import { UsageError } from '../../../client/errors.js';
import { allowedCpus } from '../../../client/machine/host.js';
import { payload } from '../../../client/words/format.js';
import { build, checkAvailability, listServers } from '../../../servers/launcher/index.js';
import { findProgram } from '../../../servers/launcher/process/find-program.js';
import { buildProgram } from '../build.js';
import { conduct, main } from '../conduct.js';
import { keeps } from '../must.js';
import { connectionsOf, namesOf, parseOptions, payloadsOf, windowOf, windowOption } from '../options.js';
import { cost, perSecond } from '../round-trips.js';
import { CONTEST_NAMES, cellsOf, contestOf } from './contests.js';
import { entrantsHere, serverNames } from './entrants.js';
import { markdownOf } from './markdown.js';
import { CLIENT_SOURCE, measureServer, secondsOf } from './measure.js';
import { PLACEMENTS, placementText, placesOf } from './placement.js';
import { NOT_SLOWER, resultsOf } from './result.js';

const NAME = 'servers';
const SAYS = 'Measures the throughput of our servers, compared with sockperf, nginx, haproxy, tokio and Go.';
/** A message of sockperf's has a header of 14 bytes; its server takes no more than this. */
const PAYLOAD = { least: 14, most: 65_507 };

const cpus = allowedCpus(readFileSync('/proc/self/status', 'utf8'));
/** Debian has nginx and haproxy where only root looks. */
const find = (/** @type {string} */ program) => findProgram(program, `${process.env.PATH ?? ''}:/usr/sbin`);

/** @param {boolean} quick @param {string[]} known servers */
const optionsOf = (quick, known) => ({
  connections: /** @type {const} */ ({
    type: 'string',
    default: quick ? '100' : '1,100,1000',
    describe: 'list of numbers of connections',
  }),
  payloads: /** @type {const} */ ({ type: 'string', default: '64B', describe: 'list of echo payload sizes' }),
  contests: /** @type {const} */ ({ type: 'string', default: CONTEST_NAMES.join(','), describe: 'list of contests' }),
  servers: /** @type {const} */ ({ type: 'string', default: known.join(','), describe: 'list of servers' }),
  placement: /** @type {const} */ ({
    choices: PLACEMENTS,
    default: 'apart',
    describe: 'apart: a server of one thread and the client have a CPU each; shipped: nothing is pinned',
  }),
  seconds: { ...windowOption.seconds, default: quick ? 1 : 2 },
  quick: /** @type {const} */ ({ type: 'boolean', default: false, describe: 'one round of 1 s at 100 connections' }),
});

/** @param {string} text */
function sizesOf(text) {
  const sizes = payloadsOf(text);
  const { least, most } = PAYLOAD;
  if (sizes.every((bytes) => bytes >= least && bytes <= most)) return sizes;
  throw new UsageError(`--payloads ${text}: all get what sockperf takes, messages of ${least} to ${most} bytes`);
}

/** @typedef {import('./contests.js').Cell} Cell */

/** @type {ReturnType<typeof entrantsHere>} where tables are made of what was measured before */
const NOBODY = { entrants: new Map(), notes: [] };

/** @param {Parameters<typeof entrantsHere>[0]} wanted */
async function look(wanted) {
  const known = await checkAvailability(listServers().filter(({ name }) => wanted.servers.includes(name)));
  return entrantsHere(wanted, { find, known, cpus: cpus.length, env: process.env });
}

await main(NAME, async (words, signal) => {
  const quick = words.includes('--quick');
  const known = serverNames(process.env);
  const more = optionsOf(quick, known);
  const options = parseOptions(words, { bench: NAME, says: SAYS, rounds: quick ? 1 : 3, more });
  const seconds = windowOf(options.seconds);
  const { placement } = options;
  const wanted = {
    contests: namesOf(options.contests, CONTEST_NAMES, '--contests'),
    servers: namesOf(options.servers, known, '--servers'),
  };
  const axes = { connections: connectionsOf(options.connections), payloads: sizesOf(options.payloads) };
  const { entrants, notes } = options.from === undefined ? await look(wanted) : NOBODY;
  const entrantOf = (/** @type {Cell} */ { contest, connections }, /** @type {string} */ name) =>
    entrants.get(contest)?.find((one) => one.name === name && one.most >= connections);
  const howOf = (/** @type {Cell} */ { contest }) => {
    const { protocol, threads } = contestOf(contest);
    return { protocol, seconds, ...placesOf(placement, threads, cpus) };
  };
  return conduct(
    {
      name: NAME,
      cells: cellsOf({ contests: [...entrants.keys()], ...axes }),
      clients: known,
      measures: (cell, name) => entrantOf(cell, name) !== undefined,
      notes,
      how: `windows of ${seconds} s, ${placementText(placement, cpus)}`,
      secondsOf: (cell) => secondsOf(howOf(cell)),
      prepare: async () => {
        await buildProgram(CLIENT_SOURCE);
        const ours = [...entrants.values()].flat().flatMap(({ start }) => ('name' in start ? [start.name] : []));
        await build({ names: [...new Set(ours)] });
      },
      measure: ({ cell, client }, stop) => {
        const start = entrantOf(cell, client)?.start;
        if (!start) throw new Error(`${client} is not in the contest ${cell.contest}`);
        const { connections, payloadBytes } = cell;
        return measureServer({ start, connections, payloadBytes, ...howOf(cell) }, stop);
      },
      lineOf: ({ cell, client, figures }) => {
        const size = cell.payloadBytes === undefined ? '' : ` x ${payload(cell.payloadBytes)}`;
        const where = `${cell.contest} ${cell.connections}${size}`.padEnd(24);
        return `${where} ${client.padEnd(14)} ${cost(figures).toFixed(2)} us  ${perSecond(figures).toFixed(0)}/s`;
      },
      resultsOf,
      markdownOf,
      keeps: (results) => results.every(({ pairs }) => pairs.every((pair) => keeps(NOT_SLOWER, pair))),
    },
    options,
    signal,
  );
});
