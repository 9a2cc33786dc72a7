// Which CPUs instances and workers get, on made-up machines.

import assert from 'node:assert/strict';
import { parseSiblings, threadsPerCore } from '../../client/machine/cpu-topology.js';
import { cpuOrder, overlapWarnings, place, withoutCores } from '../../client/plan/placement.js';
import { plan } from '../../client/plan/plan.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { factsOf } from '../fixtures/codes.js';
import { host, known } from '../fixtures/hosts.js';

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

describe('CPU topology', () => {
  it('is read from the list of siblings, and is a core of its own where there is none', () => {
    assert.deepEqual(parseSiblings(1, '1,9\n'), { cpu: 1, siblings: [1, 9] });
    assert.deepEqual(parseSiblings(2, '2-3'), { cpu: 2, siblings: [2, 3] });
    for (const odd of [null, '', 'none', '4-5']) assert.deepEqual(parseSiblings(1, odd), { cpu: 1, siblings: [1] });
  });

  it('has as many threads per core as its largest core', () => {
    assert.equal(threadsPerCore(machine(2, 2)), 2);
    assert.equal(threadsPerCore(machine(3, 1)), 1);
    assert.equal(threadsPerCore([]), 1);
  });
});

describe('CPU order', () => {
  it('takes the first hyperthread of each core, then the second ones, and the core of CPU 0 last', () => {
    assert.deepEqual(cpuOrder(machine(4, 2)), [1, 2, 3, 0, 5, 6, 7, 4]);
    assert.deepEqual(cpuOrder(machine(2, 2, (core, thread) => 2 * core + thread)), [2, 0, 3, 1]);
    assert.deepEqual(cpuOrder(machine(2, 4)), [1, 0, 3, 2, 5, 4, 7, 6]);
    assert.deepEqual(cpuOrder(machine(3, 1)), [1, 2, 0]);
    assert.deepEqual(cpuOrder(machine(1, 1)), [0]);
  });

  it('counts only hyperthreads that may be used', () => {
    const some = machine(4, 2).filter(({ cpu }) => [4, 5, 6, 1].includes(cpu));
    assert.deepEqual(cpuOrder(some), [1, 4, 6, 5]);
  });
});

describe('placement', () => {
  const four = machine(4, 2);

  it('gives instances and workers CPUs of their own with each', () => {
    const each = { ...pinned, client: 'each', server: 'each' };
    assert.deepEqual(place(each, four, { ...leg, instances: 3, workers: 3 }), {
      pin: { server: '1,2,3', client: '0,5,6' },
      serverCpus: ['1', '2', '3'],
      workerCpus: ['0', '5', '6'],
    });
  });

  it('shares CPUs where there are too few', () => {
    const each = { ...pinned, client: 'each', server: 'each' };
    const two = place(each, machine(2, 1), { ...leg, instances: 2, workers: 4 });
    assert.deepEqual(
      [two.serverCpus, two.workerCpus],
      [
        ['1', '0'],
        ['1', '0', '1', '0'],
      ],
    );
    const three = place(each, machine(3, 1), { ...leg, instances: 2, workers: 2 });
    assert.deepEqual(
      [three.serverCpus, three.workerCpus],
      [
        ['1', '2'],
        ['0', '0'],
      ],
    );
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
    const one = { pin: { client: '0,1', server: '1-2' } };
    assert.deepEqual(factsOf(overlapWarnings([one, one, { pin: { client: '0', server: '1' } }])), [
      ['pin-overlap', { cpus: [1], client: '0,1', server: '1-2' }],
    ]);
    assert.deepEqual(overlapWarnings([{ pin: { client: null, server: '0' } }]), []);
  });
});

describe('a scenario with pin', () => {
  /** @param {Record<string, unknown>} content */
  const planned = (content) =>
    plan(resolveScenario({ content: { servers: ['epoll'], connections: 100, ...content } }), host, known);

  it('places every leg', () => {
    const [{ pin, serverCpus, workerCpus }] = planned({ pin: { client: 'each', server: 'each' } }).legs;
    assert.deepEqual(
      { pin, serverCpus, workerCpus },
      {
        pin: { server: '1', client: '0' },
        serverCpus: ['1'],
        workerCpus: ['0', '0'],
      },
    );
    assert.deepEqual(planned({ pin: { cores: '1:1' } }).legs[0].pin, { server: '1', client: '0' });
  });
});
