// The table of doctor: complete at any width, never wider than the terminal, colours only if requested.

import assert from 'node:assert/strict';
import { limitsTable } from '../../client/console/limits-table.js';

const plain = (/** @type {any} */ _tone, /** @type {string} */ text) => text;
const remedy =
  'What helps: more addresses of this machine, 3 in all (ip address add), as --sources; or a ' +
  'wider range of ports.';

/** @param {Partial<import('../../client/console/limits-table.js').Row>} over @returns {any} */
const row = (over) => ({
  name: 'a limit',
  servers: [],
  code: 'a-limit',
  text: 'it is so.',
  data: {},
  unit: 'count',
  available: 20_000,
  needed: 5000,
  side: 'client',
  exceeded: false,
  remedy: null,
  holds: null,
  ...over,
});
const rows = [
  row({ name: 'descriptors of a worker' }),
  row({
    name: 'descriptors of a process',
    servers: ['multi-threaded', 'select', 'epoll'],
    needed: 80_020,
    side: 'server',
    exceeded: true,
    remedy: 'Raise the limit (ulimit -Hn 80020).',
  }),
  row({ name: 'memory', unit: 'bytes', available: 2 ** 30, needed: 1024 }),
  row({ name: 'mappings', available: null }),
  row({ name: 'pin', available: null, needed: null, exceeded: true }),
  row({ name: 'local ports', exceeded: true, needed: 40_000, remedy }),
  row({ name: 'io', unit: 'words', available: 'epoll', needed: 'auto' }),
];

/** @param {string} text */
const words = (text) => text.replace(/\s+/g, ' ');

describe('the table of doctor', () => {
  it('shows each limit, value, need, verdict and remedy at any width', () => {
    for (let width = 60; width <= 240; width += 1) {
      const text = limitsTable(rows, width, plain);
      const tooLong = text.split('\n').filter((line) => line.length > width);
      assert.deepEqual(tooLong, [], `wider than ${width}`);
      const parts = [
        'descriptors of a worker',
        '20,000',
        '80,020',
        '1.07 GB',
        '1.02 kB',
        'no limit',
        'epoll',
        'server',
      ];
      for (const part of parts) assert.ok(words(text).includes(part), `no ${part} at ${width}`);
    }
  });

  it('puts the remedy in its own column if there is room, without splitting words', () => {
    const [head, ...lines] = limitsTable(rows, 140, plain).split('\n');
    assert.match(head, /^ limit +available +needed +verdict +remedy$/);
    const at = head.indexOf('remedy');
    const beside = words(lines.map((line) => line.slice(at)).join(' ')).trim();
    assert.equal(beside, `Raise the limit (ulimit -Hn 80020). ${remedy}`);
  });

  it('puts the remedy on its own line if there is no room', () => {
    const text = limitsTable(rows, 80, plain);
    assert.match(text, /^ limit +available +needed +verdict\n/);
    assert.match(
      words(text),
      /local ports 20,000 40,000 client What helps: more addresses .* a wider range of ports\. io epoll auto ok$/,
    );
    assert.match(
      words(text),
      /multi-threaded, select, epoll: 20,000 80,020 server descriptors of a process Raise the limit/,
    );
  });

  it('has no column for remedies when there are none', () => {
    assert.match(
      limitsTable([row({})], Infinity, plain),
      /^ limit +available +needed +verdict\n a limit +20,000 +5,000 +ok$/,
    );
  });

  it('colours only the verdicts', () => {
    const text = limitsTable(rows, 140, (tone, part) => `<${tone}>${part}</>`);
    assert.match(text, / descriptors of a worker +20,000 +5,000 +<green>ok<\/>\n/);
    assert.match(text, /<yellow>server<\/>/);
    assert.match(text, /<red>client<\/>/);
  });
});
