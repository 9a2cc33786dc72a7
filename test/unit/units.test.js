// Durations and sizes: text to numbers and back, and the parsers against the patterns of the schema.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { scenarioKeys } from '../../client/scenario/schema.js';
import {
  durationPattern,
  guessUnit,
  parseDuration,
  parseRate,
  parseSize,
  ratePattern,
  sizePattern,
  writeDuration,
  writeSize,
} from '../../client/words/units.js';

describe('units', () => {
  for (const [
    what,
    parse,
    rows,
    wrong,
  ] of /** @type {[string, (text: string) => number, Record<string, number>, string[]][]} */ ([
    [
      'durations as nanoseconds',
      parseDuration,
      { '500ms': 5e8, '5s': 5e9, '1m': 6e10, '2h': 7.2e12, '1.5s': 1.5e9, '20us': 2e4, '0s': 0 },
      ['', '5', 's', '5 s', '-5s', '5S', '1e3s', '5s5s', '.5s'],
    ],
    [
      'sizes as bytes',
      parseSize,
      { '1B': 1, '1KiB': 1024, '64KiB': 65536, '1MiB': 1048576, '1.5KiB': 1536, '1GiB': 2 ** 30 },
      ['', '1', '1KB', '1kib', 'B', '-1B', '1 B'],
    ],
    [
      'rates as a number per second',
      parseRate,
      { '1/s': 1, '50000/s': 50000, '0.5/s': 0.5 },
      ['', '5', '/s', '5/m', '-5/s', '5 /s'],
    ],
  ])) {
    it(`reads ${what}`, () => {
      for (const [text, value] of Object.entries(rows)) assert.equal(parse(text), value, text);
      for (const text of wrong) assert.ok(Number.isNaN(parse(text)), text);
    });
  }

  it('writes a value exactly, in the largest unit of which it is a multiple', () => {
    const durations = { 0: '0s', 20: '0.02us', 2e4: '20us', 1.5e6: '1500us', 5e8: '500ms', 9e10: '90s', 72e11: '2h' };
    for (const [ns, text] of Object.entries(durations)) assert.equal(writeDuration(Number(ns)), text);
    assert.deepEqual([1, 1024, 1536, 2 ** 20, 2 ** 30].map(writeSize), ['1B', '1KiB', '1536B', '1MiB', '1GiB']);
  });

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.nat(), (value) => {
        assert.equal(parseDuration(writeDuration(value)), value);
        assert.equal(parseDuration(writeDuration(value * 1e6)), value * 1e6);
        assert.equal(parseSize(writeSize(value)), value);
      }),
    );
  });

  it('suggests the unit that was meant', () => {
    assert.deepEqual(
      ['10', '10 sec', '5MS', '3min', 'soon'].map((text) => guessUnit(text, 'duration')),
      ['10s', '10s', '5ms', '3m', undefined],
    );
    assert.deepEqual(
      ['10', '10 /s', '10 per second', '2k', '1.5k/s', '2M', '10/m', '10m'].map((text) => guessUnit(text, 'rate')),
      ['10/s', '10/s', '10/s', '2000/s', '1500/s', '2000000/s', undefined, undefined],
    );
    assert.deepEqual(
      ['10', '100kb', '1Mb', '1 gib', 'big'].map((text) => guessUnit(text, 'size')),
      ['10B', '100KiB', '1MiB', '1GiB', undefined],
    );
  });

  it('accepts what the schema accepts', () => {
    for (const [key, schema] of scenarioKeys) {
      if (schema['x-unit'] === undefined) continue;
      const patterns = { size: sizePattern, duration: durationPattern, rate: ratePattern };
      const size = sizePattern.slice(1, -1);
      const payload = `^(${size}(-${size})?|file:[^\\u0000]+)$`;
      assert.equal(schema.pattern, key === 'payload' ? payload : patterns[schema['x-unit']], key);
    }
  });
});
