// What it costs to follow the processes of a server, and that none of them is missed.

import assert from 'node:assert/strict';
import { TreeWatch } from '../../servers/launcher/process/tree-watch.js';
import { residentMemory } from '../../servers/launcher/process/usage.js';

/** Made-up processes. */
class Machine {
  /** @type {Map<number, any>} */
  processes = new Map();
  reads = 0;
  lists = 0;

  /** @param {number} pid @param {number} parent */
  start(pid, parent) {
    const facts = { pid, parent, state: 'S', session: 1, cpuSeconds: 0, childrenCpuSeconds: 0, childrenFaults: 0 };
    this.processes.set(pid, { ...facts, threads: 1, started: '1' });
  }

  /** @param {number} pid waited for by its parent */
  end(pid) {
    const { parent, cpuSeconds } = this.processes.get(pid);
    this.processes.delete(pid);
    const waiter = this.processes.get(parent);
    waiter.childrenCpuSeconds += cpuSeconds;
    waiter.childrenFaults += 1;
  }

  nowMs = 0;

  watch(root = 10) {
    return new TreeWatch(root, {
      nowMs: () => this.nowMs,
      list: () => {
        this.lists += 1;
        return [...this.processes.keys()].sort((a, b) => a - b);
      },
      read: (pid) => {
        this.reads += 1;
        const process = this.processes.get(pid);
        return process === undefined ? null : { ...process };
      },
    });
  }
}

/** @param {any[]} members @returns {number} CPU seconds of all, and of those that have ended */
const cpuOf = (members) => members.reduce((sum, member) => sum + member.cpuSeconds + member.childrenCpuSeconds, 0);

describe('the processes of a server', () => {
  it('are read all each time if they are few, with those that have just begun and ended', () => {
    const machine = new Machine();
    for (const [pid, parent] of ['1 0', '5 1', '10 5', '11 10', '12 11', '13 1', '9 12'].map((pair) => pair.split(' ')))
      machine.start(Number(pid), Number(parent));
    const watch = machine.watch();
    const pids = () =>
      watch
        .read()
        .map(({ pid }) => pid)
        .sort((a, b) => a - b);
    assert.deepEqual(pids(), [9, 10, 11, 12]);
    machine.processes.get(12).cpuSeconds = 3;
    machine.end(9);
    machine.start(14, 12);
    machine.start(15, 13);
    assert.deepEqual(pids(), [10, 11, 12, 14]);
    assert.equal(watch.read().find(({ pid }) => pid === 12)?.cpuSeconds, 3);
  });

  it('cost no more, however many they are, and each is read every few seconds', () => {
    const machine = new Machine();
    machine.start(10, 1);
    machine.start(11, 10);
    for (let i = 0; i < 10_000; i += 1) machine.start(100 + i, 11);
    for (let i = 0; i < 500; i += 1) machine.start(20_000 + i, 1);
    const watch = machine.watch();
    let members = 0;
    machine.reads = 0;
    machine.lists = 0;
    for (let second = 0; second < 60; second += 1) members = watch.read().length;
    // a name of a folder costs about a twentieth of a small file
    const cost = (machine.reads + machine.lists * (machine.processes.size / 20)) / 60;
    assert.ok(cost <= 400, `as much as ${cost} small files at a time`);
    assert.equal(members, 10_002);
    for (const process of machine.processes.values()) if (process.parent === 11) process.cpuSeconds = 0.5;
    for (let second = 0; second < 60; second += 1) watch.read();
    assert.equal(cpuOf(watch.read()), 5000);
  });

  it('have used as much as those that were read, until they are read themselves', () => {
    const machine = new Machine();
    machine.start(10, 1);
    for (let i = 0; i < 5000; i += 1) machine.start(100 + i, 10);
    const watch = machine.watch();
    /** Each uses 1 % of a core. @param {number} seconds */
    const pass = (seconds) => {
      for (let second = 0; second < seconds; second += 1) {
        machine.nowMs += 1000;
        for (const process of machine.processes.values()) if (process.pid !== 10) process.cpuSeconds += 0.01;
        watch.read();
      }
    };
    pass(60);
    const from = cpuOf(watch.read()) + watch.unreadSeconds();
    pass(10);
    const used = cpuOf([...watch.members.values()]) + watch.unreadSeconds() - from;
    assert.ok(Math.abs(used - 500) < 5, `${used} of 500 CPU seconds in ten seconds`);
  });

  it('are counted once when they end, by themselves or by their parent', () => {
    const machine = new Machine();
    machine.start(10, 1);
    machine.start(11, 10);
    for (let i = 0; i < 2000; i += 1) {
      machine.start(100 + i, 11);
      machine.processes.get(100 + i).cpuSeconds = 1;
    }
    const watch = machine.watch();
    for (let second = 0; second < 40; second += 1) watch.read();
    assert.equal(cpuOf(watch.read()), 2000);
    for (let i = 0; i < 1000; i += 1) {
      machine.end(100 + i);
      if (i % 50 === 0) assert.ok(cpuOf(watch.read()) <= 2000, 'none is counted twice');
    }
    for (let second = 0; second < 20; second += 1) watch.read();
    assert.equal(cpuOf(watch.read()), 2000);
  });

  it('have the memory of all, of which some are read at a time', () => {
    let reads = 0;
    const memory = residentMemory((pid) => {
      reads += 1;
      return pid % 2 === 0 ? 1000 : 3000;
    });
    const pids = Array.from({ length: 1000 }, (_, i) => i);
    assert.equal(memory(pids.slice(0, 10)), 20_000);
    assert.equal(reads, 10);
    reads = 0;
    for (let second = 0; second < 20; second += 1) assert.equal(memory(pids), 2_000_000);
    assert.equal(reads, 20 * 16);
    assert.equal(memory([]), 0);
  });
});
