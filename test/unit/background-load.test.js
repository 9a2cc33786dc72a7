// The CPU use of other programs: reported if large, and unknown rather than guessed.
import assert from 'node:assert/strict';
import {
  backgroundCores,
  backgroundLoadWarning,
  isBackgroundLoad,
  unevenLoadWarnings,
  withGroupBackground,
} from '../../client/judge/disturbances.js';
import { groupedFindings, textInRounds } from '../../client/judge/findings/index.js';
import { machineUseOf } from '../../client/measure/machine-use.js';
import { legOf } from '../fixtures/made-up-answers.js';

/**
 * @param {number[]} busy @param {number} client @param {number | null} server @param {string} [phase]
 * @returns {any}
 */
const second = (busy, client, server, phase = 'steady') => ({
  phase,
  fromNs: 0,
  toNs: 1e9,
  machine: { busy },
  client: { cpuSeconds: client },
  server: server === null ? null : { cpuSeconds: server },
});

describe('background load', () => {
  it('is the use of the busy cores minus that of client and server, in the steady state', () => {
    const samples = [second([1, 1], 0, 0, 'ramp'), second([1, 1], 0.5, 0.5), second([0.5, 0.5], 0.5, 0.5)];
    assert.deepEqual(backgroundCores(samples), { cores: 0.5, of: 2 });
    const warning = backgroundLoadWarning(samples);
    assert.deepEqual([warning?.code, warning?.data], ['background-load', { cores: 0.5, of: 2 }]);
    assert.ok(warning && isBackgroundLoad(warning));
  });

  it('causes no warning when it is small, relative to the machine or in absolute terms', () => {
    assert.equal(backgroundLoadWarning([second([1, 1], 0.9, 0.9)]), null);
    assert.equal(backgroundLoadWarning([second(Array(16).fill(0.5), 3.5, 3.5)]), null);
    assert.equal(backgroundLoadWarning([second([1, 1], 1.2, 1.1)]), null, "the kernel's ticks are coarse");
  });

  it('is unknown if the server is not monitored, or without cores or a steady state', () => {
    const unread = { ...second([1, 1], 0, 0), server: { rssBytes: 1 } };
    for (const samples of [[second([1, 1], 0, null)], [unread], [second([], 0, 0)], [second([1], 0, 0, 'ramp')], []]) {
      assert.equal(backgroundCores(samples), null);
    }
  });

  describe('of legs that take turns', () => {
    /**
     * @param {string} name
     * @param {number} group
     * @param {Record<string, any>} [over]
     * @returns {any} a leg that used 0.1 + 0.2 cores
     */
    const inTurn = (name, group, over = {}) =>
      legOf({
        ...{ name, warnings: [], slices: { group, of: 2 }, machine: { busyCores: 1.9, cores: 2 } },
        steady: { fromNs: 0, toNs: 10e9, client: { cpuSeconds: 1 }, server: { cpuSeconds: 2 } },
        ...over,
      });
    const warned = (/** @type {any[]} */ legs) =>
      withGroupBackground(legs).map(({ warnings }) => warnings.map(({ data }) => data));

    it('is the use of the busy cores minus that of all of them', () => {
      const data = { cores: 1.3, of: 2, group: 1 };
      const [[first], [second]] = warned([inTurn('a', 1), inTurn('b', 1)]);
      assert.deepEqual([{ ...first, cores: Number(first.cores.toFixed(9)) }, second], [data, first]);
      const elsewhere = { serverAgent: 's1', steady: { fromNs: 0, toNs: 10e9, client: { cpuSeconds: 1 } } };
      const [[apart]] = warned([inTurn('a', 1, elsewhere), inTurn('b', 1, elsewhere)]);
      assert.equal(apart.cores.toFixed(9), '1.700000000', 'their servers are on another machine');
      assert.deepEqual(warned([inTurn('a', 1, { machine: { busyCores: 0.7, cores: 2 } }), inTurn('b', 1)]), [[], []]);
    });

    it('is unknown where one of them is missing, or was not measured', () => {
      const steady = { fromNs: 0, toNs: 10e9, client: { cpuSeconds: 1 } };
      for (const legs of [
        [inTurn('a', 1)],
        [inTurn('a', 1), inTurn('b', 2)],
        [inTurn('a', 1), inTurn('b', 1, { steady })],
        [inTurn('a', 1, { machine: undefined }), inTurn('b', 1)],
        [legOf({ name: 'a', warnings: [] })],
      ])
        assert.deepEqual(warned(legs).flat(), []);
    });

    it('is said once for all groups', () => {
      const idle = { machine: { busyCores: 0.7, cores: 2 } };
      const busier = { machine: { busyCores: 2, cores: 2 } };
      const legs = [1, 2, 3].flatMap((group) =>
        ['a', 'b'].map((name) => inTurn(name, group, { round: group, ...[{}, busier, idle][group - 1] })),
      );
      const findings = groupedFindings({ legs: withGroupBackground(legs), warnings: [] });
      const [finding] = findings.filter(({ code }) => code === 'background-load');
      const { label, unit, rounds, of } = finding;
      assert.deepEqual([label, unit, rounds, of], ['', 'group', [2, 1], 3]);
      assert.match(textInRounds(finding), /group 2 of 3; also found in group 1/);
    });
  });
});

describe('the use of a machine', () => {
  it('is a mean over time', () => {
    const short = { ...second([0.2, 0], 0, null), toNs: 0.5e9 };
    assert.deepEqual(machineUseOf([second([1, 0.5], 0, null), short]), { busyCores: 1.6 / 1.5, cores: 2 });
    assert.deepEqual([machineUseOf([]), machineUseOf([second([], 0, null)])], [undefined, undefined]);
  });
});

describe('an uneven load of connections', () => {
  const even = Array(10).fill(20_000);
  /** @param {string} label @param {number[]} tenths @param {number} [min] @returns {any} */
  const leg = (label, tenths, min = 1) => legOf({ label, steady: { perConnection: { min, tenths } } });
  const dataOf = (/** @type {any[]} */ legs) => unevenLoadWarnings(legs).map(({ data }) => data);

  it('is found where it is on every server, of the tenth that differs most', () => {
    const first = even.with(3, 9_000).with(7, 15_000);
    const data = dataOf([leg('a', first), leg('b', even.with(3, 10_000).with(7, 15_000))]);
    assert.equal(data.length, 1);
    assert.deepEqual([data[0].servers, data[0].tenth, data[0].share.toFixed(2)], [['a', 'b'], 4, '0.51']);
  });

  it('is not found where only one server has it, or no other is there, or too few transfers, or some got none', () => {
    const uneven = even.with(3, 9_000);
    const few = uneven.map((n) => n / 10);
    for (const legs of [[leg('a', uneven), leg('b', even)], [leg('a', uneven)], [leg('a', few), leg('b', few)]]) {
      assert.deepEqual(dataOf(legs), []);
    }
    assert.deepEqual(dataOf([leg('a', uneven, 0), leg('b', uneven, 0)]), []);
    const opposite = even.with(3, 40_000);
    assert.deepEqual(dataOf([leg('a', uneven), leg('b', opposite)]), []);
  });
});
