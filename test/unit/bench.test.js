// The pure parts that all benches share: order, rounds, median, interval, requirements, options and the place in the
// README. Speed is never tested.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../client/errors.js';
import { BENCHES } from '../bench/benches.js';
import { judge, keeps } from '../bench/must.js';
import { connectionsOf, namesOf, parseOptions, payloadsOf } from '../bench/options.js';
import { sameCell, stepsOf, wholeRounds } from '../bench/rounds.js';
import { levelOf, spreadOf } from '../bench/spread.js';
import { judgedText, mustsTable, placeIn, spreadText, table } from '../bench/tables.js';

const cells = [{ connections: 1 }, { connections: 100 }, { connections: 1000 }];
const clients = /** @type {const} */ (['one', 'other']);

describe('benches', () => {
  it('are listed with an existing script, a description and a duration', () => {
    for (const [name, { script, says, takes }] of Object.entries(BENCHES)) {
      assert.ok(existsSync(fileURLToPath(new URL(`../bench/${script}`, import.meta.url))), script);
      assert.match(says, /^\S.*\.$/, name);
      assert.match(takes, /^\d+ (s|min|h)$/, name);
    }
  });

  it('have a section of the README each', () => {
    const readme = readFileSync(fileURLToPath(new URL('../bench/README.md', import.meta.url)), 'utf8');
    for (const name of Object.keys(BENCHES)) assert.ok(readme.includes(`\n## ${name}\n`), name);
  });

  it('measure every client in every cell once per round, side by side', () => {
    const steps = stepsOf({ cells, clients, rounds: 3, seed: 7 });
    assert.equal(steps.length, 3 * cells.length * clients.length);
    assert.equal(new Set(steps.map((step) => JSON.stringify(step))).size, steps.length);
    for (let i = 0; i < steps.length; i += clients.length) {
      const group = steps.slice(i, i + clients.length);
      assert.ok(group.every((step) => group[0] && step.cell === group[0].cell && step.round === group[0].round));
    }
    assert.deepEqual(stepsOf({ cells, clients, rounds: 3, seed: 7 }), steps);
    assert.notDeepEqual(stepsOf({ cells, clients, rounds: 3, seed: 8 }), steps);
  });

  it('measure a client only in the cells that have it', () => {
    const measures = (/** @type {{connections: number}} */ { connections }, /** @type {string} */ client) =>
      client === 'one' || connections > 1;
    const steps = stepsOf({ cells, clients, rounds: 2, seed: 7, measures });
    assert.equal(steps.length, 2 * (cells.length * clients.length - 1));
    assert.ok(steps.every(({ cell, client }) => measures(cell, client)));
  });

  it('leave out an incomplete round', () => {
    const [cell, another] = [{ connections: 100 }, { connections: 1 }];
    const measured = stepsOf({ cells: [cell, another], clients, rounds: 3, seed: 1 })
      .filter(({ round, client }) => round < 3 || client === 'one')
      .map((step) => ({ ...step, figures: step.round * step.cell.connections }));
    const again = JSON.parse(JSON.stringify(measured));
    assert.deepEqual(wholeRounds(again, cell, clients), [
      { one: 100, other: 100, round: 1 },
      { one: 200, other: 200, round: 2 },
    ]);
    assert.ok(sameCell(again[0].cell, measured[0]?.cell));
  });
});

describe('the spread of a bench', () => {
  it('is the median and the interval of the sign test', () => {
    assert.deepEqual(spreadOf([3, 1, 2]), { median: 2, min: 1, max: 3, low: 1, high: 3, level: 0.75 });
    assert.equal(spreadOf([4, 1, 2, 3]).median, 2.5);
    assert.equal(levelOf(6, 0), 1 - 2 / 64);
    const nine = spreadOf([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    assert.deepEqual([nine.low, nine.median, nine.high], [2, 5, 8]);
    assert.equal(nine.level, 1 - (2 * (1 + 9)) / 512);
    assert.throws(() => spreadOf([]), RangeError);
  });

  it('is judged by the interval and recorded by the median', () => {
    const spread = { median: 1, low: 0.9, high: 1.1, min: 0.8, max: 1.2, level: 0.97 };
    const must = { name: 'a / b', of: () => spread, format: (/** @type {number} */ value) => value.toFixed(1) };
    assert.equal(judge({ ...must, limit: 1.1 }, {}), 'met');
    assert.equal(judge({ ...must, limit: 1 }, {}), 'open');
    assert.equal(judge({ ...must, limit: 0.8 }, {}), 'missed');
    assert.equal(judge({ ...must, limit: 0.8, binds: () => false }, {}), null);
    assert.deepEqual([keeps({ ...must, limit: 1 }, {}), keeps({ ...must, limit: 0.99 }, {})], [true, false]);
    assert.equal(keeps({ ...must, limit: 0.99, binds: () => false }, {}), true);
    assert.equal(spreadText(spread, must.format), '1.0 (0.9..1.1) [0.8..1.2]');
    assert.equal(spreadText({ ...spread, min: 0.9, max: 1.1 }, must.format), '1.0 (0.9..1.1)');
    assert.equal(spreadText(spreadOf([1.25]), must.format), '1.3');
    assert.equal(judgedText({ ...must, limit: 0.95 }, {}), '**1.0 (0.9..1.1) [0.8..1.2]** ?');
    assert.match(mustsTable('', [{ ...must, limit: 1.05 }], [{}, {}]), /\| a \/ b \| 1.1 \| 2 of 2 \| 0 \| 0 \| 2 \|$/);
  });
});

describe('the tables of a bench', () => {
  it('align text columns to the left', () => {
    assert.equal(table('Title:', ['tool', 'n'], [['ab', '1']], 1), 'Title:\n\n| tool | n |\n| --- | --: |\n| ab | 1 |');
  });

  it('are appended to the README at first and replaced in place later, each in its own section', () => {
    const once = placeIn('# Title\n', 'a', 'one');
    assert.equal(once, '# Title\n\n<!-- a: begin -->\none\n<!-- a: end -->\n');
    const both = placeIn(`${once}\n## After\n`, 'b', 'other');
    const twice = placeIn(both, 'a', 'two');
    assert.equal(twice, both.replace('\none\n', '\ntwo\n'));
  });
});

describe('the options of a bench', () => {
  const more = { connections: /** @type {const} */ ({ type: 'string', default: '1,100' }) };
  const of = { bench: 'a', says: 'Measures.', rounds: 6, more };
  const parse = (/** @type {string[]} */ ...words) => parseOptions(words, of);

  it('are the shared ones plus its own', () => {
    const { rounds, seed, write, connections, from } = parse('--seed', '3', '--write');
    assert.deepEqual([rounds, seed, write, connections, from], [6, 3, true, '1,100', undefined]);
    assert.deepEqual(connectionsOf('1, 20'), [1, 20]);
    assert.deepEqual(payloadsOf('1B,64KiB'), [1, 65536]);
    assert.deepEqual(namesOf('b,a', ['a', 'b'], '--names'), ['b', 'a']);
  });

  it('are rejected in one line that names the option and the value', () => {
    /** @type {[() => unknown, RegExp][]} */
    const wrong = [
      [() => parse('--rounds', '0'), /--rounds 0: expected a whole number/],
      [() => parse('--round', '1'), /\bround\b/],
      [() => connectionsOf('1,x'), /--connections 1,x: "x" is none of/],
      [() => connectionsOf('16000'), /--connections 16000: "16000" is none of whole numbers of 1 to 15000/],
      [() => payloadsOf('1KB'), /--payloads 1KB: "1KB"/],
      [() => namesOf('c', ['a', 'b'], '--names'), /--names c: "c" is none of a, b/],
    ];
    for (const [call, message] of wrong) {
      assert.throws(call, (error) => error instanceof UsageError && message.test(error.message), String(message));
    }
  });
});
