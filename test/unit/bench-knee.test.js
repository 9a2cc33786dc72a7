// The pure parts of the bench knee: which knees agree, and which are false.

import assert from 'node:assert/strict';
import { markdownOf } from '../bench/knee/markdown.js';
import { isConsistent, isQuiet, otherCoresOf, resultOf } from '../bench/knee/result.js';

/** @param {(number | null | string)[]} answers knees, null for none, or why it is not determined */
const ramps = (...answers) =>
  answers.map((answer) => ({
    ...(typeof answer === 'string' ? { knee: null, code: answer } : { knee: answer, code: null }),
    ...{ reach: 1200, otherCores: 0.5, text: `knee ${answer}` },
  }));

describe('the bench of the knee', () => {
  it('counts the knees within one step of each other', () => {
    const of = (/** @type {(number | null | string)[]} */ ...answers) =>
      resultOf(ramps(...answers), { step: 150, truth: 750 });
    assert.deepEqual(of(750, 600, 750, 'scatter'), {
      ...{ ramps: 4, knees: 3, agree: 3, undetermined: 1, none: 0, misplaced: 0 },
    });
    assert.equal(isConsistent(of(750, 600, 'scatter')), true);
    assert.equal(isConsistent(of(750, 600, 900)), false, 'two steps apart');
    assert.equal(isConsistent(of(750, null)), false, 'one has none');
    assert.equal(of(300, 1050, 900).misplaced, 2);
    assert.equal(of().agree, 0);
  });

  it('allows one false knee in twenty ramps', () => {
    const flat = (/** @type {number} */ knees) =>
      resultOf(ramps(...Array.from({ length: 20 }, (_, i) => (i < knees ? 300 : null))), { step: 150 });
    assert.deepEqual([isQuiet(flat(1)), isQuiet(flat(2))], [true, false]);
  });

  it('knows what other programs used', () => {
    const sample = {
      fromNs: 0,
      toNs: 2e9,
      machine: { busy: [1, 0.5] },
      client: { cpuSeconds: 1 },
      server: { cpuSeconds: 1 },
    };
    assert.equal(otherCoresOf([sample, { ...sample, server: null }]), 0.5);
    assert.equal(otherCoresOf([]), 0);
  });

  it('states each answer with its number, and whether the limits are kept', () => {
    const all = { degrading: ramps(750, 750, 'scatter'), steady: ramps(null, 300, 450) };
    const [degrading, steady] = [all.degrading, all.steady].map((own) => resultOf(own, { step: 150, truth: 750 }));
    const facts = { kernel: '6', cpu: 'x', cores: 2, node: '20', compiler: 'cc', commit: 'abc', date: '' };
    const size = { steps: 8, add: 150, every: 5 };
    const text = markdownOf({
      ramps: all,
      results: { degrading, steady },
      truth: 750,
      size,
      facts: /** @type {any} */ (facts),
    });
    assert.ok(text.includes('| knee 750 | 2 | 0.5..0.5 |') && text.includes('| knee scatter (scatter) | 1 |'));
    assert.deepEqual([text.match(/: met/g)?.length, text.match(/missed/g)?.length], [1, 1]);
  });
});
