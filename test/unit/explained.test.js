// Where CPU time comes from: functions are joined over both sides, and named only where they differ, by simulations in
// which the truth is known.
import assert from 'node:assert/strict';
import { callTree } from '../../client/judge/explained/call-tree.js';
import { differenceOf } from '../../client/judge/explained/difference.js';
import { overheadOf } from '../../client/judge/explained/explanation.js';
import { attributed, FunctionNames } from '../../client/judge/explained/functions.js';
import { moderatedVariances } from '../../client/judge/statistics/moderated.js';
import { meanOf } from '../../client/measure/statistics.js';
import { explainedTexts } from '../../client/judge/explained/texts.js';
import { unitOf } from '../../client/explain/units.js';
import { normal, uniform } from '../fixtures/random-numbers.js';

/** @import { Unit } from '../../client/judge/explained/difference.js' */
/** @import { Frame, StackSample } from '../../client/judge/explained/functions.js' */

const FUNCTIONS = 150;
const REPEATS = 300;
/** By size: that of rank k has a share of 1/k. */
const SHARES = Array.from({ length: FUNCTIONS }, (_, i) => 1 / (i + 1));
const ALL = SHARES.reduce((sum, share) => sum + share, 0);

/**
 * Starts of a server whose functions take shares that differ from start to start by 5 %, as its cost does by 3 %, seen
 * in samples.
 * @param {() => number} random
 * @param {{ starts?: number, samples?: number, added?: [key: string, share: number], spreads?: number[] }} server
 *   spreads: of each function between starts, in place of 5 %
 * @returns {Unit[]}
 */
function startsOf(random, { starts = 4, samples = 1500, added, spreads = SHARES.map(() => 0.05) }) {
  const gaussian = normal(random);
  return Array.from({ length: starts }, () => {
    const shares = new Map(SHARES.map((share, i) => [`f${i}`, (share / ALL) * Math.exp(spreads[i] * gaussian())]));
    if (added) shares.set(added[0], (shares.get(added[0]) ?? 0) + added[1]);
    const whole = [...shares.values()].reduce((sum, share) => sum + share, 0);
    const self = new Map(
      [...shares].flatMap(([key, share]) => {
        const expected = (samples * share) / whole;
        const count = Math.round(expected + Math.sqrt(expected) * gaussian());
        return count > 0 ? [[key, count]] : [];
      }),
    );
    const count = [...self.values()].reduce((sum, n) => sum + n, 0);
    const costNs = 100_000 * whole * Math.exp(0.03 * gaussian());
    return { costNs, sampleNs: costNs / count, samples: count, self, total: self, callers: new Map() };
  });
}

/** @param {string} name @param {string} file @param {number} [line] @returns {Frame} */
const frame = (name, file, line) => ({ name, file, ...(line === undefined ? {} : { line }) });
/** @param {Frame[]} stack @param {number} [timeNs] @returns {StackSample} */
const sample = (stack, timeNs = 0) => ({ timeNs, thread: '1', stack });

describe('where a difference comes from', function () {
  this.timeout(20_000);

  it('names no function of equal servers in nineteen of twenty runs', () => {
    const random = uniform(1);
    const named = Array.from(
      { length: REPEATS },
      () => differenceOf(startsOf(random, {}), startsOf(random, {})).functions.length,
    ).filter((count) => count > 0).length;
    assert.ok(named <= 0.05 * REPEATS, `${named} of ${REPEATS}`);
  });

  for (const [what, key, least] of /** @type {[string, string, number][]} */ ([
    ['a new function', 'new', 0.95],
    ['a function of 4 %', 'f3', 0.95],
    ['the largest function, of 17 %', 'f0', 0.6],
  ])) {
    it(`names ${what} first that takes 5 % more, with an interval that contains them`, () => {
      const random = uniform(2);
      let [first, contained] = [0, 0];
      for (let i = 0; i < REPEATS; i += 1) {
        const [head] = differenceOf(startsOf(random, { added: [key, 0.05] }), startsOf(random, {})).functions;
        if (head?.key !== key) continue;
        first += 1;
        if (head.low <= 5000 && head.high >= 5000) contained += 1;
      }
      assert.ok(first >= least * REPEATS, `first in ${first} of ${REPEATS}`);
      assert.ok(contained >= 0.95 * first, `contained in ${contained} of ${first}`);
    });
  }

  it('names no function in nineteen of twenty runs where some functions vary much more than others', () => {
    const random = uniform(5);
    const spreads = SHARES.map(() => 0.06 * Math.exp(0.7 * normal(random)()));
    const named = Array.from({ length: REPEATS }, () => {
      const [head, base] = [startsOf(random, { spreads }), startsOf(random, { spreads })];
      return differenceOf(head, base).functions.length;
    }).filter((count) => count > 0).length;
    assert.ok(named <= 0.05 * REPEATS, `${named} of ${REPEATS}`);
  });

  it('leaves a rest that adds up with the functions, and contains what no function shows', () => {
    const random = uniform(6);
    const contained = Array.from({ length: REPEATS }, () => {
      const [head, base] = [startsOf(random, { added: ['new', 0.1] }), startsOf(random, {})];
      const { all, functions, rest } = differenceOf(head, base, 1);
      assert.equal(functions.length, 1);
      assert.ok(Math.abs(all.ns - functions[0].ns - rest.ns) < 1e-6);
      return rest.low <= 0 && rest.high >= 0;
    }).filter(Boolean).length;
    assert.ok(contained >= 0.9 * REPEATS, `${contained} of ${REPEATS}`);
  });

  it('is that of the CPU time per request, of which the functions are parts', () => {
    const random = uniform(3);
    const [head, base] = [startsOf(random, { added: ['new', 0.4] }), startsOf(random, {})];
    const { all, functions } = differenceOf(head, base);
    const mean = (/** @type {Unit[]} */ units) => units.reduce((sum, { costNs }) => sum + costNs / units.length, 0);
    assert.ok(Math.abs(all.ns - (mean(head) - mean(base))) < 1e-6);
    assert.ok(all.low < all.ns && all.ns < all.high);
    assert.equal(functions[0].base, 0);
  });
});

describe('variances that moderate each other', () => {
  const DEGREES = 6;

  it('are drawn halfway to what is expected where they differ by chance alone', () => {
    const gaussian = normal(uniform(8));
    const known = Array.from({ length: 200 }, (_, i) => {
      const values = Array.from({ length: DEGREES }, gaussian);
      return { variance: (i + 1) * meanOf(values.map((value) => value ** 2)), expected: (i + 1) / 4 };
    });
    for (const [i, { variance, degrees }] of moderatedVariances(known, DEGREES).entries()) {
      assert.equal(degrees, 2 * DEGREES);
      assert.ok(Math.abs(variance / ((known[i].variance + (i + 1)) / 2) - 1) < 0.1);
    }
  });

  it('stay as they are where they differ by far more, and where they are few', () => {
    const known = [1, 1e3, 1e6, 1e9, 1e12].map((variance) => ({ variance, expected: 1 }));
    for (const [i, { variance, degrees }] of moderatedVariances(known, DEGREES).entries()) {
      assert.ok(degrees < DEGREES + 0.2);
      assert.ok(i === 0 || Math.abs(variance / known[i].variance - 1) < 0.1);
    }
    assert.deepEqual(moderatedVariances([{ variance: 3, expected: 1 }], DEGREES), [{ variance: 3, degrees: DEGREES }]);
  });
});

describe('the functions of a profile', () => {
  it('are the same on both sides by name and file, whatever their line, and without what compilers append', () => {
    const [a, b] = [frame('render', 'server.js', 10), frame('render', 'server.js', 14)];
    const names = new FunctionNames([[sample([a])], [sample([b])]]);
    assert.equal(names.of(a, 0).key, names.of(b, 1).key);
    assert.notEqual(names.of(a, 0).key, names.of(frame('render', 'other.js', 10), 0).key);
    assert.equal(names.of(frame('reply.constprop.0', ''), 0).key, names.of(frame('reply.part.2.cold', ''), 1).key);
    assert.equal(names.of(frame('srv::run::h0123456789abcdef', ''), 0).name, 'srv::run');
  });

  it('without a name are the same by their order in the file, if each side has as many', () => {
    const head = [frame('', 'a.js', 5), frame('', 'a.js', 9), frame('', 'b.js', 1)];
    const base = [frame('', 'a.js', 3), frame('', 'a.js', 7), frame('', 'b.js', 2), frame('', 'b.js', 4)];
    const names = new FunctionNames([head, base].map((frames) => frames.map((one) => sample([one]))));
    assert.equal(names.of(head[1], 0).key, names.of(base[1], 1).key);
    assert.notEqual(names.of(head[0], 0).key, names.of(base[1], 1).key);
    assert.notEqual(names.of(head[2], 0).key, names.of(base[2], 1).key, 'two against one: by line');
  });

  it('are the same in the folders of two versions, with or without a name', () => {
    const sides = ['v2', 'v1'].map((folder) => [
      ...['lib/router.js', 'node_modules/a/index.js', 'node_modules/b/index.js'].flatMap((file) => [
        frame('match', `${folder}/${file}`, 3),
        frame('', `${folder}/${file}`, folder === 'v2' ? 20 : 10),
      ]),
      frame('parse', 'shared/parser.js', 1),
      ...(folder === 'v2' ? [frame('extra', 'v2/new/index.js', 1)] : []),
    ]);
    const names = new FunctionNames(sides.map((frames) => frames.map((one) => sample([one]))));
    const [head, base] = sides.map((frames, side) => frames.map((one) => names.of(one, side).key));
    assert.deepEqual(head.slice(0, -1), base);
    assert.equal(new Set(head).size, head.length);
    assert.equal(names.functions.get(head[0])?.file, 'v2/lib/router.js');
  });

  it('of the kernel count as the system call that they are part of', () => {
    const kernel = ['entry_SYSCALL_64_after_hwframe', 'do_syscall_64', '__x64_sys_sendto', 'tcp_sendmsg'];
    const stack = [
      frame('main', ''),
      ...kernel.map((name) => ({ ...frame(name, 'kernel'), isKernel: /** @type {true} */ (true) })),
    ];
    assert.deepEqual(
      attributed(stack).map(({ name }) => name),
      ['main', 'in the kernel: sendto'],
    );
    assert.equal(attributed(stack.slice(0, 3)).at(-1)?.name, 'in the kernel: entry and exit');
    const fault = { ...frame('asm_exc_page_fault', 'kernel'), isKernel: /** @type {true} */ (true) };
    assert.equal(attributed([fault])[0].name, 'in the kernel: page faults');
  });

  it('have the samples of the steady state alone, once for each function on the stack', () => {
    const [main, walk] = [frame('main', ''), frame('walk', '')];
    const samples = [sample([main], 5), sample([main, walk, walk], 15), sample([main, walk], 16), sample([main], 20)];
    const names = new FunctionNames([samples]);
    const unit = unitOf({ costNs: 100, fromNs: 10, toNs: 20, samples }, names, 0);
    const [mainKey, walkKey] = [main, walk].map((one) => names.of(one, 0).key);
    assert.deepEqual(unit, {
      ...{ costNs: 100, sampleNs: 50, samples: 2 },
      self: new Map([[walkKey, 2]]),
      total: new Map([
        [mainKey, 2],
        [walkKey, 2],
      ]),
      callers: new Map([
        [
          walkKey,
          new Map([
            [walkKey, 1],
            [mainKey, 1],
          ]),
        ],
      ]),
    });
    assert.equal(unitOf({ costNs: 100, sampleNs: 30, fromNs: 10, toNs: 20, samples }, names, 0)?.sampleNs, 30);
    assert.equal(unitOf({ costNs: undefined, fromNs: 10, toNs: 20, samples }, names, 0), undefined);
  });

  it('are joined in a call tree, in CPU time per request of each side', () => {
    const [main, old, added] = [frame('main', ''), frame('old', ''), frame('added', '')];
    const sides = [
      [
        { ...sample([main, old]), ns: 10 },
        { ...sample([main, added]), ns: 10 },
      ],
      [{ ...sample([main, old]), ns: 12 }],
    ];
    const { functions, roots } = callTree(sides, new FunctionNames(sides));
    assert.deepEqual(
      functions.map(({ name }) => name),
      ['main', 'old', 'added'],
    );
    assert.deepEqual(roots, [
      [
        0,
        [20, 12],
        [
          [1, [10, 12], []],
          [2, [10, 0], []],
        ],
      ],
    ]);
  });
});

describe('the texts of an explanation', () => {
  const cases = [
    { case: 'base', label: 'base', source: /** @type {const} */ ('node'), samples: 900 },
    { case: 'head', label: 'head', source: /** @type {const} */ ('node'), samples: 1000 },
  ];
  const extra = { name: 'extra', file: 'server.js', line: 41, ns: 12_400, low: 9800, high: 15_100 };

  it('say what a function adds, its share, and what is left', () => {
    const difference = {
      ...{ case: 'head', against: 'base', unit: /** @type {const} */ ('start') },
      ...{ ns: 17_400, low: 15_000, high: 20_000, rest: { ns: 5000, low: 2000, high: 8000 } },
      functions: [{ ...extra, headNs: 12_400, baseNs: 0, calledBy: 'render' }],
    };
    const overhead = { ratio: 1.03, low: 0.99, high: 1.07 };
    const { texts, notes } = explainedTexts({ seconds: 15, cases, differences: [difference], overhead }, 5);
    assert.deepEqual(texts, [
      {
        lead: 'head needs 17.4 µs more CPU per request than base (+15 µs to +20 µs)',
        rows: [
          {
            ...{ name: 'extra (server.js:41)', value: '+12.4 µs', range: '+9.8 µs to +15.1 µs', share: '71 %' },
            remark: 'only in head, called by render',
          },
          { name: 'everything else', value: '+5 µs', range: '+2 µs to +8 µs', share: '29 %', remark: '' },
        ],
      },
    ]);
    assert.deepEqual(notes, ['Profiling changed the CPU per request of the servers by +3 % (−1 to +7).']);
  });

  it('add up the functions that are not shown, and say which servers were profiled at a lower rate', () => {
    const functions = [5000, -3000, 1000].map((ns) => ({
      ...{ ...extra, ns, low: ns - 100, high: ns + 100 },
      ...{ headNs: 9000, baseNs: 9000 - ns },
    }));
    const difference = {
      ...{ case: 'head', against: 'base', unit: /** @type {const} */ ('start'), functions },
      ...{ ns: 4000, low: -200, high: 8200, rest: { ns: 1000, low: -500, high: 2500 } },
    };
    const { texts, notes } = explainedTexts(
      { seconds: 15, cases: cases.map((row) => ({ ...row, rate: 12_345 })), differences: [difference] },
      1,
    );
    assert.match(texts[0].lead, /the same CPU per request as a whole, .*; but functions differ$/);
    assert.deepEqual(
      texts[0].rows.map(({ name, value }) => [name, value]),
      [
        ['extra (server.js:41)', '+5 µs'],
        ['2 more functions', '−2 µs'],
        ['everything else', '+1 µs'],
      ],
    );
    assert.match(notes[0], /^base and head were profiled at 12,345 requests\/s, since/);
  });

  it('name no function where none differs, and say why a server has no profile', () => {
    const problem = { code: 'perf-missing', data: {}, text: 'perf is not installed', remedy: 'apt install linux-perf' };
    const differences = [
      {
        ...{ case: 'head', against: 'base', unit: /** @type {const} */ ('stretch'), functions: [] },
        ...{ ns: -200, rest: { ns: -200 } },
      },
    ];
    const { texts, notes } = explainedTexts(
      { seconds: 15, cases: [...cases, { ...cases[0], case: 'go', label: 'go', problem }], differences },
      5,
    );
    assert.deepEqual([texts.length, texts[0].rows], [1, []]);
    assert.equal(
      texts[0].lead,
      'head needs 200 ns less CPU per request than base; no function differs by more than chance',
    );
    assert.equal(notes[0], 'go has no profile: perf is not installed. apt install linux-perf');
    assert.equal(notes.length, 2);
  });
});

describe('what profiling costs', () => {
  /** @param {string} id @param {number} cpuSeconds */
  const leg = (id, cpuSeconds) =>
    /** @type {any} */ ({ case: id, steady: { transfers: 1000, server: { cpuSeconds } } });

  it('is the ratio over all servers, with an interval where there are several starts', () => {
    const measured = [leg('a', 1), leg('a', 1), leg('b', 2), leg('b', 2)];
    const profiled = [leg('a', 1.1), leg('a', 1.1), leg('b', 2.2), leg('b', 2.2)];
    const overhead = overheadOf(measured, profiled);
    assert.ok(Math.abs(Number(overhead?.ratio) - 1.1) < 1e-9 && Math.abs(Number(overhead?.low) - 1.1) < 1e-9);
    assert.deepEqual(Object.keys(overheadOf([leg('a', 1)], [leg('a', 2)]) ?? {}), ['ratio']);
    assert.equal(overheadOf([leg('a', 1)], [leg('a', 0)]), undefined);
  });

  it('is known without what an idle server uses while others are loaded', () => {
    const slices = { turnNs: 2e9, unloaded: { ns: 4e9, cpuSeconds: 0.4 } };
    const [before, after] = [leg('a', 1), leg('a', 2)];
    Object.assign(after.steady, { fromNs: 0, toNs: 10e9 });
    const overhead = overheadOf([before], [{ ...after, slices }]);
    assert.ok(Math.abs(Number(overhead?.ratio) - (2 - 0.8)) < 1e-9);
  });
});
