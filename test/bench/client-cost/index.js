// The cost of the client: the engine's CPU time per round trip compared with a bare epoll client and Node's `net`, and
// the cost of the transfer log. ../README.md explains the method.

import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { count, duration, payload } from '../../../client/words/format.js';
import { BUILD, buildProgram, programOf } from '../build.js';
import { conditionsOf, publish, say, twice } from '../conduct.js';
import { MOST_CONNECTIONS, list, number, oneOf, size, whole } from '../options.js';
import { medianIn, ratio, spreadIn, spreadText, table } from '../tables.js';
import { cost, engineCommand, measureTurns, perSecond } from '../turns.js';

/** @import { Figures } from '../turns.js' */

const NAME = 'client-cost';
const BARE_SOURCE = new URL('../bare-client.c', import.meta.url);
const NET_CLIENT = fileURLToPath(new URL('net-client.js', import.meta.url));
const [LOG_FILE, OTHER_LOG_FILE] = ['transfers', 'other-transfers'].map((name) => join(BUILD, `${name}.arrows`));
const BUSY_PROGRAM = fileURLToPath(new URL('busy.js', import.meta.url));
/**
 * shipped: the kernel places both sides; one-core: client and server share core 0; busy: as shipped, beside a program
 * that uses most of a core.
 */
const PLACEMENTS = /** @type {const} */ (['shipped', 'one-core', 'busy']);
/** Below it a connection's round trip is mostly the waking of the other side, and flips with the placement. */
const LIMITS_FROM_CONNECTIONS = 100;
const LIMITS = { toBare: 1.15, toNet: 0.6, logLoss: 0.05 };

export const options = {
  connections: list('100,1000,10000', 'numbers of connections', whole(MOST_CONNECTIONS)),
  payloads: list('1B,1KiB', 'payload sizes', size),
  placement: list(PLACEMENTS.join(','), 'placements', oneOf(PLACEMENTS)),
  other: /** @type {const} */ ({
    type: 'string',
    describe: 'another checkout, set up, whose engine takes turns with this one',
  }),
  rounds: number(20, 'number of rounds, of a second or more'),
};

/**
 * @typedef {{placement: (typeof PLACEMENTS)[number], connections: number, payloadBytes: number}} Cell
 * @typedef {Record<'bare' | 'net' | 'engine' | 'no-log', Figures> & { other?: Figures }} Round
 */

/** @param {Cell} cell @param {string} [other] a checkout @returns {Record<string, string[]>} the clients */
function commandsOf({ connections, payloadBytes }, other) {
  const numbers = ['{port}', connections, payloadBytes].map(String);
  const wish = { connections, payloadBytes };
  const build = other && pathToFileURL(join(other, 'client/engine/index.js')).href;
  return {
    bare: [programOf(BARE_SOURCE), ...numbers],
    net: [process.execPath, NET_CLIENT, ...numbers],
    engine: engineCommand({ ...wish, logFile: LOG_FILE }),
    'no-log': engineCommand(wish),
    ...(build && { other: engineCommand({ ...wish, logFile: OTHER_LOG_FILE, build }) }),
  };
}

/** @param {any} given @param {AbortSignal} signal @returns {Promise<boolean>} */
export async function run(given, signal) {
  /** @type {Cell[]} */
  const cells = given.placement.flatMap((/** @type {Cell['placement']} */ placement) =>
    given.payloads.flatMap((/** @type {number} */ payloadBytes) =>
      given.connections.map((/** @type {number} */ connections) => ({ placement, connections, payloadBytes })),
    ),
  );
  const conditions = await conditionsOf({ rounds: given.rounds, how: 'the clients in turns' });
  await buildProgram(BARE_SOURCE);
  /** @type {{ cell: Cell, rounds: Round[] }[]} */
  const measured = [];
  for (const cell of cells) {
    const { placement, connections, payloadBytes } = cell;
    const commands = commandsOf(cell, given.other);
    const request = {
      ...{ commands: Object.values(commands), cpu: placement === 'one-core' ? 0 : null },
      ...{ connections, payloadBytes, blocks: given.rounds },
    };
    const other = placement === 'busy' ? fork(BUSY_PROGRAM) : null;
    const blocks = await twice(() => measureTurns(request, signal), conditions, signal).finally(() => {
      other?.disconnect();
      for (const file of [LOG_FILE, OTHER_LOG_FILE]) rmSync(file, { force: true });
    });
    const rounds = Array.from({ length: given.rounds }, (_, i) =>
      Object.fromEntries(Object.keys(commands).map((name, k) => [name, blocks[k][i]])),
    );
    measured.push({ cell, rounds: /** @type {any} */ (rounds) });
    say(`${measured.length} of ${cells.length}  ${lineOf(cell, measured[measured.length - 1].rounds)}`);
  }
  const rows = measured.map(({ cell, rounds }) => ({ cell, rounds, ratios: ratiosOf(rounds) }));
  publish(NAME, { conditions, measured, tables: [tableOf(rows)] }, given);
  return rows.every(
    ({ cell, ratios }) =>
      cell.connections < LIMITS_FROM_CONNECTIONS ||
      /** @type {(keyof typeof LIMITS)[]} */ (Object.keys(LIMITS)).every((name) => ratios[name].median <= LIMITS[name]),
  );
}

/** @param {Cell} cell @param {Round[]} rounds */
function lineOf({ placement, connections, payloadBytes }, rounds) {
  const costs = Object.keys(rounds[0]).map((name) => `${name} ${costOf(rounds, /** @type {keyof Round} */ (name))} us`);
  return `${placement} ${connections} x ${payload(payloadBytes)}:  ${costs.join('  ')}`;
}

/** @param {Round[]} rounds @param {keyof Round} name */
const costOf = (rounds, name) => medianIn(rounds, (round) => cost(/** @type {Figures} */ (round[name]))).toFixed(2);

/** @param {Round[]} rounds ratios are taken within a round, between neighbours */
const ratiosOf = (rounds) => ({
  toBare: spreadIn(rounds, ({ engine, bare }) => cost(engine) / cost(bare)),
  toNet: spreadIn(rounds, ({ engine, net }) => cost(engine) / cost(net)),
  logLoss: spreadIn(rounds, (round) => 1 - perSecond(round.engine) / perSecond(round['no-log'])),
});

/** @param {{ cell: Cell, rounds: Round[], ratios: ReturnType<typeof ratiosOf> }[]} rows */
function tableOf(rows) {
  const hasOther = rows[0].rounds[0].other !== undefined;
  const share = (/** @type {number} */ value) => `${(value * 100).toFixed(1)} %`;
  const p50 = (/** @type {Figures | undefined} */ figures) => figures?.p50Ns ?? NaN;
  return table(
    [
      ...['placement', 'connections', 'payload', 'bare', 'net', 'engine', 'no log', 'engine / bare', 'engine / net'],
      ...['engine thousand/s', 'lost to the log', 'engine p50', ...(hasOther ? ['CPU / other', 'p50 / other'] : [])],
    ],
    rows.map(({ cell, rounds, ratios }) => {
      const limit = (/** @type {keyof typeof LIMITS} */ name) =>
        cell.connections < LIMITS_FROM_CONNECTIONS ? Infinity : LIMITS[name];
      return [
        ...[cell.placement, count(cell.connections), payload(cell.payloadBytes)],
        ...[costOf(rounds, 'bare'), costOf(rounds, 'net'), costOf(rounds, 'engine'), costOf(rounds, 'no-log')],
        ...[spreadText(ratios.toBare, ratio, limit('toBare')), spreadText(ratios.toNet, ratio, limit('toNet'))],
        (medianIn(rounds, ({ engine }) => perSecond(engine)) / 1000).toFixed(1),
        spreadText(ratios.logLoss, share, limit('logLoss')),
        duration(medianIn(rounds, ({ engine }) => p50(engine))),
        ...(hasOther
          ? [
              spreadText(
                spreadIn(rounds, ({ engine, other = engine }) => cost(engine) / cost(other)),
                ratio,
              ),
              spreadText(
                spreadIn(rounds, ({ engine, other }) => p50(engine) / p50(other)),
                ratio,
              ),
            ]
          : []),
      ];
    }),
    1,
  );
}
