// Profiles as their sources give them, and as other programs read them.
import assert from 'node:assert/strict';
import { cpuProfile, folded } from '../../client/explain/formats.js';
import { readSamples } from '../../client/explain/perf-script.js';
import { samplesOf } from '../../client/explain/v8-profile.js';

/** @import { CallFrame, ScriptFunctions, V8Profile } from '../../client/explain/v8-profile.js' */

const SCRIPT = `10659 67201.704114931: 
	ffffffff81d33300 tcp_sendmsg ([kernel.kallsyms])
	ffffffff816b8b4a __x64_sys_sendto ([kernel.kallsyms])
	           f8350 __libc_send (/usr/lib/x86_64-linux-gnu/libc.so.6)
	            1249 reply (/srv/head)

10660 67201.706073604: 
	            1210 std::vector<int>::push_back(int const&) (/srv/head)
	            1249 reply (/srv/head)
	    7f30000000ab Lcom/example/Main;::run (/tmp/perf-10659.map)
	            5278 [unknown] (/usr/lib/libz.so.1)

10661 67201.708073379: 

`;

describe('samples of perf', () => {
  it('are read with thread, time and stack, the outermost function first', async () => {
    const samples = await readSamples(SCRIPT.split('\n'), new Set(['/srv/head']));
    assert.deepEqual(samples, [
      {
        ...{ timeNs: 67201_704114931, thread: '10659' },
        stack: [
          { name: 'reply', file: '' },
          { name: '__libc_send', file: 'libc.so.6' },
          { name: '__x64_sys_sendto', file: 'kernel', isKernel: true },
          { name: 'tcp_sendmsg', file: 'kernel', isKernel: true },
        ],
      },
      {
        ...{ timeNs: 67201_706073604, thread: '10660' },
        stack: [
          { name: 'no symbol in libz.so.1', file: 'libz.so.1', isUnnamed: true },
          { name: 'Lcom/example/Main;::run', file: 'compiled at run time' },
          { name: 'reply', file: '' },
          { name: 'std::vector<int>::push_back(int const&)', file: '' },
        ],
      },
    ]);
  });
});

describe('samples of V8', () => {
  /** @param {string} functionName @param {number} lineNumber @returns {CallFrame} */
  const callFrame = (functionName, lineNumber) => ({
    ...{ functionName, lineNumber },
    ...(lineNumber < 0 ? { scriptId: '0', url: '' } : { scriptId: '7', url: 'file:///srv/app/server.js' }),
  });
  /** @type {V8Profile} */
  const profile = {
    nodes: [
      { id: 1, callFrame: callFrame('(root)', -1), children: [2, 3, 6] },
      { id: 2, callFrame: callFrame('(idle)', -1) },
      {
        ...{ id: 3, callFrame: callFrame('handler', 20), children: [4] },
        positionTicks: [
          { line: 22, ticks: 1 },
          { line: 2, ticks: 2 },
          { line: 500, ticks: 1 },
        ],
      },
      { id: 4, callFrame: callFrame('render', 10), children: [5], positionTicks: [{ line: 12, ticks: 1 }] },
      { id: 5, callFrame: callFrame('extra', 0), positionTicks: [{ line: 2, ticks: 1 }] },
      { id: 6, callFrame: callFrame('(garbage collector)', -1) },
    ],
    startTime: 1000,
    endTime: 15_000,
    samples: [2, 3, 3, 3, 3, 5, 6],
    timeDeltas: [0, 10, 10, 10, 10, 10, 10],
  };
  /** @type {ScriptFunctions} */
  const functions = [
    {
      scriptId: '7',
      ranges: [
        ['', 0, 40],
        ['extra', 0, 3],
        ['render', 10, 15],
        ['handler', 20, 30],
      ],
    },
  ];

  it('are those in which the thread was busy; a line of a function that was called counts for that function', () => {
    const samples = samplesOf(profile, functions, { thread: '1', sources: '/srv/app' });
    const names = samples.map(({ stack }) => stack.map(({ name, line }) => `${name}:${line}`).join(' '));
    assert.deepEqual(names.toSorted(), [
      'garbage collection:undefined',
      'handler:21',
      'handler:21',
      'handler:21 extra:1',
      'handler:21 extra:1',
      'handler:21 render:11 extra:1',
    ]);
    assert.deepEqual([samples[0].timeNs, samples[0].stack[0].file], [1_010_000, 'server.js']);
    assert.equal(new Set(samples.map(({ stack }) => stack)).size, 4, 'equal stacks are the same list');
  });

  it('keep their function where the lines of functions are not known', () => {
    const samples = samplesOf(profile, [], { thread: '1', sources: '/elsewhere' });
    assert.deepEqual(
      samples.slice(0, 4).map(({ stack }) => stack.map(({ name, file }) => `${name} ${file}`)),
      Array(4).fill(['handler /srv/app/server.js']),
    );
  });
});

describe('profiles for other programs', () => {
  const [main, work] = [
    { name: 'main', file: 'a.js', line: 1 },
    { name: '', file: 'b.js', line: 7 },
  ];
  const stack = [main, work];
  const samples = [
    { timeNs: 3000, thread: '1', stack: [main] },
    { timeNs: 1000, thread: '1', stack },
    { timeNs: 2000, thread: '2', stack },
  ];

  it('are folded stacks with their counts', () => {
    assert.deepEqual(folded(samples).trimEnd().split('\n').toSorted(), [
      'main (a.js:1) 1',
      'main (a.js:1);(anonymous) (b.js:7) 2',
    ]);
  });

  it('are a CPU profile with samples in the order of time', () => {
    const { nodes, startTime, endTime, ...lists } = /** @type {V8Profile & { endTime: number }} */ (
      cpuProfile(samples)
    );
    assert.deepEqual([startTime, endTime], [1, 3]);
    assert.deepEqual(lists, { samples: [4, 4, 3], timeDeltas: [0, 1, 1] });
    assert.deepEqual(
      nodes.map(({ callFrame: { functionName, lineNumber }, children }) => [functionName, lineNumber, children]),
      [
        ['(root)', -1, [2, 3]],
        ['(idle)', -1, []],
        ['main', 0, [4]],
        ['', 6, []],
      ],
    );
  });

  it('are idle in a CPU profile where no thread was seen at work', () => {
    const at = (/** @type {number} */ timeNs) => ({ ...samples[0], timeNs });
    const profile = /** @type {V8Profile} */ (cpuProfile([1e6, 2e6, 3e6, 9e6, 10e6].map(at)));
    const [first, idle] = [profile.samples[0], 2];
    assert.deepEqual(profile.samples, [first, first, first, idle, first, first]);
    assert.deepEqual(profile.timeDeltas, [0, 1000, 1000, 1000, 5000, 1000]);
  });
});
