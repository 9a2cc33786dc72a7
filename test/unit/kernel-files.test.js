// The parsers of single kernel files: a process's stat, and the auxiliary vector.

import assert from 'node:assert/strict';
import { pageBytes, parsePageBytes } from '../../client/machine/host.js';
import { parseProcessStat, processStartTime, processStat } from '../../client/machine/process-stat.js';

describe('the stat of a process', () => {
  it('is parsed when the process name contains spaces and parentheses', () => {
    const text = `42 (a) S (b c) Z 7 ${Array.from({ length: 17 }, (_, i) => i + 5).join(' ')} 98765 0\n`;
    assert.deepEqual(parseProcessStat(text), { name: 'a) S (b c', state: 'Z', parent: 7, startTime: '98765' });
  });

  it('describes this process, its parent and its start time', () => {
    assert.equal(processStat(process.pid)?.parent, process.ppid);
    assert.match(processStartTime(process.pid) ?? '', /^[0-9]+$/);
    assert.equal(processStat(2 ** 30), null);
  });
});

describe('the page size', () => {
  it('is found among the other words of the auxiliary vector', () => {
    const words = [3n, 64n, 6n, 65_536n, 0n, 0n];
    const vector = Buffer.alloc(words.length * 8);
    words.forEach((word, i) => vector.writeBigUInt64LE(word, i * 8));
    assert.equal(parsePageBytes(vector, 'LE'), 65_536);
    assert.equal(parsePageBytes(Buffer.alloc(0), 'LE'), 4096);
  });

  it('is a power of two on this machine', () => assert.equal(Math.log2(pageBytes()) % 1, 0));
});
