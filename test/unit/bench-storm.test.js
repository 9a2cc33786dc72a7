// The pure parts of the benches storm and soak: growth, the course of a storm, and missed requirements.

import assert from 'node:assert/strict';
import { slopeOf } from '../bench/slope.js';
import { resultOf, rowsOf } from '../bench/soak/result.js';
import { markdownOf } from '../bench/storm/markdown.js';
import { missedOf, stormOf } from '../bench/storm/result.js';

describe('the slope of a soak', () => {
  it('is that of the line, with no error when all points are on it', () => {
    assert.deepEqual(
      slopeOf([
        [0, 1],
        [1, 3],
        [2, 5],
        [3, 7],
      ]),
      { slope: 2, error: 0 },
    );
  });

  it('has the least-squares error when they are not', () => {
    const { slope, error } = slopeOf([
      [0, 0],
      [1, 2],
      [2, 1],
      [3, 3],
    ]);
    assert.ok(Math.abs(slope - 0.8) < 1e-12);
    assert.ok(Math.abs(error - Math.sqrt(1.8 / 2 / 5)) < 1e-12);
  });

  it('is unknown with fewer than two points', () => {
    assert.ok(Number.isNaN(slopeOf([]).slope) && Number.isNaN(slopeOf([[1, 5]]).slope));
    assert.deepEqual(
      slopeOf([
        [0, 5],
        [2, 9],
      ]),
      { slope: 2, error: NaN },
    );
  });
});

describe('a process of a soak', () => {
  const member = { name: 'worker 0', pid: 7 };
  const soak = { minutes: 10, mostSockets: 100 };
  const readings = (/** @type {(minute: number) => Partial<import('../bench/process-use.js').Use>} */ of) =>
    Array.from({ length: 11 }, (_, minute) => ({ minute, rssBytes: 50e6, sockets: 60, others: 20, ...of(minute) }));

  it('meets its requirements when it reaches its size during the warm-up', () => {
    const result = resultOf(
      member,
      readings((minute) => ({ rssBytes: 50e6 + Math.min(minute, 2) * 5e6 })),
      soak,
    );
    assert.deepEqual([result.slope, result.missed, result.firstBytes], [0, [], 60e6]);
    assert.deepEqual(rowsOf([result]), [['worker 0 (7)', '60.0', '60.0', '0 ± 0', '20', '60', 'yes']]);
  });

  it('violates one by growing', () => {
    const result = resultOf(
      member,
      readings((minute) => ({ rssBytes: 50e6 + minute * 100_000 })),
      soak,
    );
    assert.ok(Math.abs(result.slope - 100) < 1e-9);
    assert.deepEqual(result.missed, ['memory']);
    assert.equal(resultOf(member, [], soak).missed.includes('memory'), true, 'and by not having been there');
  });

  it('violates one by an additional descriptor, or by more connections than requested', () => {
    assert.deepEqual(
      resultOf(
        member,
        readings((minute) => ({ others: minute > 4 ? 21 : 20 })),
        soak,
      ).missed,
      ['descriptors'],
    );
    assert.deepEqual(
      resultOf(
        member,
        readings((minute) => ({ others: minute === 7 ? 21 : 20 })),
        soak,
      ).missed,
      [],
      'but not by one that was there for a moment',
    );
    assert.deepEqual(
      resultOf(
        member,
        readings((minute) => ({ sockets: 91 + minute })),
        soak,
      ).missed,
      ['descriptors'],
    );
  });
});

describe('a storm', () => {
  const second = (/** @type {number} */ k, /** @type {number} */ open, /** @type {number} */ attempts) => ({
    ...{ fromNs: k * 1e9, toNs: (k + 1) * 1e9, gauges: { open }, counters: { attempts } },
    rejects: { total: attempts, refused: open < 100 ? attempts : 0 },
    errors: { total: 0, closed: k === 2 ? 100 : 0 },
  });
  const samples = [
    second(0, 100, 100),
    second(1, 100, 0),
    second(2, 0, 300),
    second(3, 0, 50),
    second(4, 0, 60),
    second(5, 60, 80),
    second(6, 100, 40),
    second(7, 100, 0),
  ];
  const times = { diedNs: 2.5e9, readyNs: 5.25e9 };
  const storm = stormOf(samples, times, { connections: 100, metThemselves: 0 });
  const use = { rssBytes: 1e6, sockets: 10, others: 5 };

  it('is described by the samples while it lasted', () => {
    assert.deepEqual(storm, {
      ...{ deadMs: 2750, backMs: 1750, dead: { peak: 60, mean: 60 }, back: { peak: 80, mean: 60 } },
      ...{ rejects: { refused: 300 + 50 + 60 + 80 }, errors: { closed: 100 }, metThemselves: 0 },
    });
  });

  it('meets its requirements and is printed next to what the processes used', () => {
    assert.deepEqual(missedOf([storm], [{ primary: use }, { primary: use }], { latestMs: 1000 }), []);
    const text = markdownOf([storm], [{ primary: use }, { primary: use }], { latestMs: 1000 });
    assert.match(text, /^\| all back within, s \(must: 1\.0\) \| 1\.8 \|$/m);
    assert.match(text, /^\| attempts a second, back: peak \/ mean \| 80 \/ 60 = 1\.33 \|$/m);
    assert.match(text, /^\| primary: descriptors \| 15 \| 15 \|$/m);
  });

  it('names each requirement that it violates', () => {
    const missed = (/** @type {object} */ worse, uses = [{}, {}]) =>
      missedOf([{ ...storm, ...worse }], uses, { latestMs: 1000 });
    assert.deepEqual(missed({ backMs: 2500 }), ['storm 1: all back after 2.5 s']);
    assert.deepEqual(missed({ back: { peak: 251, mean: 100 } }), ['storm 1: a second was a storm']);
    assert.deepEqual(missed({ metThemselves: 2 }), ['storm 1: 2 connections were open to themselves']);
    assert.deepEqual(missed({ rejects: { local: 1 } }), ['storm 1: local']);
    const more = { ...use, sockets: 11 };
    assert.deepEqual(missed({}, [{ guard: use }, { guard: more }]), ['guard: descriptors differ']);
    const grown = { ...use, rssBytes: 7e6 };
    assert.deepEqual(missed({}, [{ guard: use }, { guard: use }, { guard: grown }]), [
      'guard: the storms after the first added 6.0 MB',
    ]);
  });
});
