// The number of processes of a server, its model, and its options.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { descriptorsFor, plannedOptions, processesFor, roomOf, serverModelOf } from '../../client/plan/processes.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { unsupportedOptions } from '../../client/scenario/place-rules.js';
import { plan } from '../../client/plan/plan.js';
import { dataOf, factsOf } from '../fixtures/codes.js';
import { host } from '../fixtures/hosts.js';
import { assertData, scenarioOf } from '../fixtures/planned-limits.js';

/** @import { KnownServer } from '../../client/plan/processes.js' */

/** @param {Record<string, string[]>} options @returns {KnownServer} */
const serverWith = (options) => ({ name: 'any', manifest: { options, scales: 'none' } });
const many = serverWith({ backlog: ['--backlog', '{value}'], processes: ['--processes', '{value}'] });
const single = serverWith({ backlog: ['--backlog', '{value}'] });

describe('the processes of a server', () => {
  it('are one while its descriptors suffice, and otherwise as many as the connections need, with some to spare', () => {
    for (const [connections, descriptors, processes] of [
      [1, 20_000, 1],
      [19_980, 20_000, 1],
      [19_981, 20_000, 2],
      [80_000, 20_000, 5],
      [80_000, 1_000_000, 1],
      [10_000, 1024, 12],
      [10_000, 20, 1024],
      [10_000, 0, 1024],
    ])
      assert.equal(processesFor(connections, descriptors), processes, `${connections} of ${descriptors}`);
  });

  it('have a tenth to spare, or four deviations of the hash, which spreads by the square root of a share', () => {
    for (const [processes, descriptors, room] of [
      [10, 1620, 14_400], // a tenth of 1,600 is as much as four deviations
      [10, 420, 3200],
      [2, 420, 640],
      [2, 36, 0],
      [2, 20, 0],
    ])
      assert.equal(roomOf(processes, descriptors), room);
  });

  it('need descriptors for the connections, and one fewer would not suffice', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 1024 }),
        (connections, processes) => {
          const descriptors = descriptorsFor(connections, processes);
          assert.ok(roomOf(processes, descriptors) + 1 >= connections);
          assert.ok(roomOf(processes, descriptors - 1) < connections);
        },
      ),
    );
  });

  const load = { connections: 80_000, descriptors: 20_000 };
  it('have a number in the plan only if the server has the option; one that is set is kept', () => {
    const auto = /** @type {const} */ ({ backlog: 16, processes: 'auto' });
    assert.deepEqual(plannedOptions(auto, many, load), { backlog: 16, processes: 5 });
    const bare = /** @type {{ backlog: number, processes?: number }} */ ({ backlog: 16 });
    assert.deepEqual(plannedOptions(bare, many, load), { backlog: 16, processes: 5 });
    for (const known of [single, undefined]) assert.deepEqual(plannedOptions(auto, known, load), { backlog: 16 });
    for (const known of [many, undefined])
      for (const processes of [1, 7]) assert.deepEqual(plannedOptions({ processes }, known, load), { processes });
    assert.deepEqual(plannedOptions({ processes: 1 }, single, load), {});
  });

  it('are left to a server whose processes limit the connections served at once, unless set', () => {
    for (const concurrent of /** @type {const} */ ([1, { option: 'processes', default: 16 }])) {
      const known = { ...many, manifest: { ...many.manifest, concurrent } };
      assert.deepEqual(plannedOptions({ processes: 'auto' }, known, load), {});
      assert.deepEqual(plannedOptions({ processes: 3 }, known, load), { processes: 3 });
    }
  });
});

describe('the model of a server', () => {
  const listed = (/** @type {any} */ concurrent) => ({
    ...{ name: 'any', language: 'c', model: 'some' },
    manifest: { options: {}, scales: 'none', concurrent },
  });

  it('states how many connections it serves at once with its options', () => {
    const threads = { option: 'threads', default: 16 };
    const processes = { option: 'processes', default: 16 };
    for (const [concurrent, options, expected] of /** @type {[any, Record<string, unknown>, object][]} */ ([
      [1, {}, { concurrent: 1 }],
      [1, { processes: 4 }, { concurrent: 4, by: 'processes' }],
      [threads, {}, { concurrent: 16, by: 'threads' }],
      [threads, { threads: 1 }, { concurrent: 1 }],
      [threads, { processes: 2 }, { concurrent: 32, by: 'threads', processes: 2 }],
      [processes, {}, { concurrent: 16, by: 'processes' }],
      [processes, { processes: 64 }, { concurrent: 64, by: 'processes' }],
      ['unbounded', { processes: 4 }, { concurrent: 'unbounded', processes: 4 }],
    ])) {
      const model = serverModelOf(listed(concurrent), options);
      assert.deepEqual(model, { language: 'c', model: 'some', ...expected });
    }
    for (const known of [undefined, many, listed(null)]) assert.equal(serverModelOf(known, {}), undefined);
  });
});

describe('a server that is started as several processes', () => {
  const listing = { name: 'epoll', language: 'c', model: 'one thread' };
  const listed = [{ ...listing, manifest: { ...many.manifest, concurrent: /** @type {const} */ ('unbounded') } }];
  /** @param {Record<string, unknown>} options @param {number} descriptors */
  const planned = (options, descriptors) => {
    const scenario = scenarioOf({ connections: 10_000, servers: [{ name: 'epoll', options }] });
    const { legs, limits, warnings } = plan(scenario, { ...host, descriptors }, listed);
    const split = limits.filter(({ code }) => code === 'server-split');
    return { model: legs[0].serverModel, split, announced: dataOf(warnings, 'server-split') };
  };

  it('because of the limit of descriptors is said to be, in its model, its limits and a warning', () => {
    const { model, split, announced } = planned({}, 1024);
    const { language, model: words } = listing;
    assert.deepEqual(model, { language, model: words, concurrent: 'unbounded', processes: 12, descriptors: 1024 });
    const [limit] = split;
    assert.deepEqual([limit.exceeded, limit.side, limit.servers, limit.holds], [true, 'kernel', ['epoll'], 1004]);
    assertData(limit, { available: 1024, needed: 10_020, processes: 12, connections: 10_000 });
    assert.deepEqual(announced, { servers: ['epoll'], side: 'kernel', needed: 10_020, available: 1024 });
  });

  it('by request is not said to be because of a limit, and of one process nothing is said', () => {
    const given = planned({ processes: 12 }, 1024);
    assert.deepEqual([given.model?.processes, given.model?.descriptors, given.split], [12, undefined, []]);
    const alone = planned({}, 20_000);
    assert.deepEqual([alone.model?.processes, alone.split, alone.announced], [undefined, [], undefined]);
  });
});

describe('the options of a server', () => {
  /** @param {Record<string, unknown>} options */
  const scenarioWith = (options) =>
    resolveScenario({ content: { connections: 1, servers: [{ name: 'any', options }] } });

  it('are each rejected if the server does not have them; defaults are passed on only if it does', () => {
    const mistakes = unsupportedOptions(scenarioWith({ maxChildren: 5, backlog: 7 }), [serverWith({})]);
    assert.deepEqual(unsupportedOptions(scenarioWith({ processes: 2 }), [many]), []);
    assert.deepEqual(unsupportedOptions(scenarioWith({ processes: 1 }), [single]), [], 'every server has one');
    assert.equal(dataOf(unsupportedOptions(scenarioWith({ processes: 2 }), [single]), 'option-unsupported')?.value, 2);
    const named = { server: 'any', label: 'any', supported: [] };
    assert.deepEqual(factsOf(mistakes), [
      ['option-unsupported', { ...named, option: 'maxChildren', value: 5 }],
      ['option-unsupported', { ...named, option: 'backlog', value: 7 }],
    ]);
    assert.deepEqual(unsupportedOptions(scenarioWith({ maxChildren: 5 }), [serverWith({ maxChildren: [] })]), []);
    assert.deepEqual(unsupportedOptions(scenarioWith({ maxChildren: 5 }), []), [], 'of one that is not there');
    const [{ options }] = scenarioWith({}).servers ?? [];
    const few = { connections: 1, descriptors: 100 };
    assert.deepEqual(unsupportedOptions(scenarioWith({}), [serverWith({})]), []);
    assert.deepEqual(plannedOptions(options, serverWith({}), few), {});
    assert.deepEqual(plannedOptions(options, single, few), { backlog: 4096 });
  });
});
