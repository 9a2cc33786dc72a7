// Which CPUs instances and workers get, on made-up machines.

import assert from 'node:assert/strict';
import { parseSiblings } from '../../client/machine/cpu-topology.js';
import { cpuOrder, overlapWarnings, place, withoutCores } from '../../client/plan/placement.js';
import { factsOf } from '../fixtures/codes.js';
import { planOn } from '../fixtures/planned-limits.js';

/**
 * @param {number} cores @param {number} threads of each
 * @param {(core: number, thread: number) => number} cpuOf the number the kernel gives
 */
function machine(cores, threads, cpuOf = (core, thread) => core + thread * cores) {
  const all = Array.from({ length: cores }, (_, core) => Array.from({ length: threads }, (_, i) => cpuOf(core, i)));
  return all
    .flatMap((siblings) => siblings.map((cpu) => ({ cpu, siblings: [...siblings].sort((a, b) => a - b) })))
    .sort((a, b) => a.cpu - b.cpu);
}

const pinned = { client: null, server: null, cores: null };
const leg = { instances: 1, workers: 2, started: true };

describe('CPU order', () => {
  it('follows the kernel lists of siblings; a CPU without one is a core of its own', () => {
    assert.deepEqual(parseSiblings(1, '1,9\n'), { cpu: 1, siblings: [1, 9] });
    for (const odd of [null, '', 'none', '4-5']) assert.deepEqual(parseSiblings(1, odd), { cpu: 1, siblings: [1] });
  });

  it('takes the first hyperthread of each core, then the second ones, and the core of CPU 0 last', () => {
    assert.deepEqual(cpuOrder(machine(4, 2)), [1, 2, 3, 0, 5, 6, 7, 4]);
    assert.deepEqual(cpuOrder(machine(2, 2, (core, thread) => 2 * core + thread)), [2, 0, 3, 1]);
    assert.deepEqual(cpuOrder(machine(2, 4)), [1, 0, 3, 2, 5, 4, 7, 6]);
    assert.deepEqual(cpuOrder(machine(3, 1)), [1, 2, 0]);
    const some = machine(4, 2).filter(({ cpu }) => [4, 5, 6, 1].includes(cpu));
    assert.deepEqual(cpuOrder(some), [1, 4, 6, 5], 'of those that may be used');
  });
});

describe('placement', () => {
  const four = machine(4, 2);

  it('gives instances and workers CPUs of their own with each, and shares them where there are too few', () => {
    const each = { ...pinned, client: 'each', server: 'each' };
    assert.deepEqual(place(each, four, { ...leg, instances: 3, workers: 3 }), {
      pin: { server: '1,2,3', client: '0,5,6' },
      serverCpus: ['1', '2', '3'],
      workerCpus: ['0', '5', '6'],
    });
    const two = place(each, machine(2, 1), { ...leg, instances: 2, workers: 4 });
    assert.deepEqual([`${two.serverCpus}`, `${two.workerCpus}`], ['1,0', '1,0,1,0']);
    const three = place(each, machine(3, 1), { ...leg, instances: 2, workers: 2 });
    assert.deepEqual([`${three.serverCpus}`, `${three.workerCpus}`], ['1,2', '0,0']);
  });

  it('keeps off the CPUs of the other side, where that has a list', () => {
    assert.deepEqual(place({ ...pinned, client: 'each', server: '1-2' }, four, leg), {
      pin: { server: '1-2', client: '3,0' },
      workerCpus: ['3', '0'],
    });
    assert.deepEqual(place({ ...pinned, client: '1,2', server: 'each' }, four, { ...leg, instances: 2 }), {
      pin: { server: '3,0', client: '1,2' },
      serverCpus: ['3', '0'],
    });
    assert.deepEqual(place({ ...pinned, client: '1' }, four, leg), { pin: { server: null, client: '1' } });
  });

  it('puts the server on the first cores and the client on the last with cores', () => {
    assert.deepEqual(withoutCores({ ...pinned, cores: { server: 2, client: 3 } }, four), {
      cores: { server: 2, client: 3 },
      server: '1,2',
      client: '6,7,4',
    });
    assert.deepEqual(withoutCores(pinned, four), pinned);
  });

  it('warns once of CPUs that client and server share', () => {
    const legPlan = { pin: { client: '0,1', server: '1-2' } };
    assert.deepEqual(factsOf(overlapWarnings([legPlan, legPlan, { pin: { client: '0', server: '1' } }])), [
      ['pin-overlap', { cpus: [1], client: '0,1', server: '1-2' }],
    ]);
    assert.deepEqual(overlapWarnings([{ pin: { client: null, server: '0' } }]), []);
  });
});

describe('a scenario with pin', () => {
  it('places every leg', () => {
    const [{ pin, serverCpus, workerCpus }] = planOn({ pin: { client: 'each', server: 'each' } }).legs;
    assert.deepEqual([pin, serverCpus, workerCpus], [{ server: '1', client: '0' }, ['1'], ['0', '0']]);
    assert.deepEqual(planOn({ pin: { cores: '1:1' } }).legs[0].pin, { server: '1', client: '0' });
  });
});
