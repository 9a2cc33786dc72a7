// The processes of a target on this machine: those that have its listening socket.
import assert from 'node:assert/strict';
import { listeningProcesses } from '../../client/machine/listening-processes.js';

/**
 * The client, the process that started it, and two servers.
 * @type {Record<number, { name: string, parent: number, holds?: number[] }>}
 */
const PROCESSES = {
  1: { name: 'systemd', parent: 0 },
  10: { name: 'bash', parent: 1 },
  11: { name: 'node', parent: 10 },
  20: { name: 'nginx', parent: 1 },
  21: { name: 'nginx', parent: 20 },
  30: { name: 'worker', parent: 1 },
  31: { name: 'worker', parent: 1 },
};
const UNIX = 'Num RefCount Protocol Flags Type St Inode Path\n';

/** @param {string} address @param {number} inode @param {number} [port] */
const listener = (address, inode, port = 80) => ({ address, port, inode, queue: 0, backlog: 9, drops: 0 });

/**
 * @param {Record<number, number[]>} holds inodes of the sockets that each process holds
 * @param {ReturnType<typeof listener>[]} listeners
 * @param {object} [over] @returns {any} a machine
 */
const machineOf = (holds, listeners, over = {}) => ({
  listeners: () => listeners,
  unixSockets: () => UNIX,
  pids: () => Object.keys(PROCESSES).map(Number),
  descriptors: (/** @type {number} */ pid) => ['/dev/null', ...(holds[pid] ?? []).map((inode) => `socket:[${inode}]`)],
  stat: (/** @type {number} */ pid) => PROCESSES[pid] ?? null,
  ownPid: 11,
  procPid: () => 11,
  ...over,
});

const TARGET = { host: '127.0.0.1', port: 80 };

describe('the processes that listen at a target', () => {
  it('are found by the socket that its connections go to', () => {
    /**
     * @type {[what: string, holds: Record<number, number[]>, sockets: ReturnType<typeof listener>[], pids: number[]][]}
     */
    const cases = [
      ['one process', { 20: [7], 30: [8] }, [listener('127.0.0.1', 7), listener('127.0.0.1', 8, 81)], [20]],
      [
        'those that share a socket, without those that another one has started',
        { 20: [7], 21: [7] },
        [listener('::', 7)],
        [20],
      ],
      ['a process that another program has started', { 21: [7] }, [listener('0.0.0.0', 7)], [21]],
      ['sockets of one port each', { 30: [7], 31: [8] }, [listener('0.0.0.0', 7), listener('0.0.0.0', 8)], [30, 31]],
      [
        'the socket of the address before one of all addresses',
        { 20: [7], 30: [8] },
        [listener('0.0.0.0', 7), listener('127.0.0.1', 8)],
        [30],
      ],
      [
        'the socket of the family before one of both',
        { 20: [7], 30: [8] },
        [listener('::', 7), listener('0.0.0.0', 8)],
        [30],
      ],
      [
        'none of a service manager that holds the socket of its service',
        { 1: [7], 30: [7] },
        [listener('0.0.0.0', 7)],
        [30],
      ],
      ['none of the client, nor of what has started it', { 1: [7], 10: [7], 11: [7] }, [listener('0.0.0.0', 7)], []],
      ['none where nothing listens', { 20: [7] }, [listener('127.0.0.2', 7), listener('127.0.0.1', 7, 81)], []],
      ['none where its holder is not seen', { 20: [9] }, [listener('127.0.0.1', 7)], []],
    ];
    for (const [what, holds, sockets, pids] of cases)
      assert.deepEqual(listeningProcesses([TARGET], machineOf(holds, sockets)), [pids], what);
  });

  it('are told apart by target', () => {
    const sockets = [listener('0.0.0.0', 7), listener('0.0.0.0', 8, 81), listener('0.0.0.0', 9, 82)];
    const targets = [80, 81, 82, 83].map((port) => ({ host: '127.0.0.1', port }));
    assert.deepEqual(listeningProcesses(targets, machineOf({ 20: [7, 8], 30: [9] }, sockets)), [[20], [20], [30], []]);
  });

  it('are found by the path of a Unix socket', () => {
    const unixSockets = () =>
      `${UNIX}ffff: 00000002 00000000 00010000 0001 01 7 /run/my server.sock\nffff: 00000003 00000000 00000000 0001 03 8 /run/my server.sock\n`;
    const of = (/** @type {string} */ path) =>
      listeningProcesses([{ host: `unix:${path}`, port: 0 }], machineOf({ 20: [7], 30: [8] }, [], { unixSockets }));
    assert.deepEqual([of('/run/my server.sock'), of('/run/other.sock')], [[[20]], [[]]]);
  });

  it('are none where they only pass connections on, or where nothing can be told', () => {
    const sockets = [listener('0.0.0.0', 7)];
    const of = (/** @type {object} */ over) => listeningProcesses([TARGET], machineOf({ 30: [7] }, sockets, over));
    const stat = (/** @type {number} */ pid) => ({ ...PROCESSES[pid], name: pid === 30 ? 'docker-proxy' : 'x' });
    assert.deepEqual(of({ stat }), [[]], 'its server is in a container');
    assert.deepEqual(of({ procPid: () => 4711 }), [[]], '/proc is that of another PID namespace');
    assert.deepEqual(of({ listeners: () => assert.fail() }), [[]]);
    assert.deepEqual(of({ descriptors: () => assert.fail('EACCES') }), [[]]);
    assert.deepEqual(listeningProcesses([{ host: '192.0.2.1', port: 80 }], machineOf({ 30: [7] }, sockets)), [[]]);
  });
});
