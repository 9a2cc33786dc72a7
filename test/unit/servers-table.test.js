// The list of thirty servers, some unavailable, on narrow and wide terminals.

import assert from 'node:assert/strict';
import { stripVTControlCharacters, styleText } from 'node:util';
import { atOnce, serversTable } from '../../client/console/servers-table.js';

/** @type {import('../../client/console/terminal-text.js').Style} */
const plain = (_tone, text) => text;
const languages = ['c', 'go', 'java', 'python', 'rust', 'contributed'];
const servers = Array.from({ length: 30 }, (_, i) => ({
  name: ['epoll-et-pool', 'python-selectors', 'io_uring'][i % 3] + i,
  language: languages[Math.floor(i / 5)],
  model: 'N processes in accept on one socket, blocking calls',
  protocols: i % 2 ? ['echo', 'volley', 'ace', 'http'] : ['echo'],
  concurrent: /** @type {const} */ ([1, 'unbounded', { option: 'processes', default: 16 }, null])[i % 4],
  available: i % 7 !== 3,
  why: i % 7 === 3 ? 'go 1.18 is there, 1.19 is needed, and this text is longer than a narrow line' : null,
  remedy: i % 7 === 3 ? 'apt-get install golang-go' : null,
}));

describe('the list of servers', () => {
  for (const width of [80, 109, 110, 200, Infinity]) {
    it(`fits ${width} columns and leaves nothing out`, () => {
      const lines = serversTable(servers, width, plain).split('\n');
      const widest = Math.max(...lines.map((line) => line.length));
      assert.ok(widest <= width, `${widest} columns`);
      const text = lines.join(' ').replaceAll(/\s+/g, ' ');
      for (const { name, available, why, remedy } of servers) {
        assert.ok(text.includes(` ${name} `), name);
        if (!available) assert.ok(text.includes(`unavailable: ${why} ${remedy}`), name);
      }
      for (const language of languages) assert.ok(text.includes(` ${language} `), language);
      assert.equal(text.split('N processes in').length - 1, 30);
      const [, first = ''] = lines;
      assert.equal(first === 'c', width < 110, 'a heading where there is no column');
    });
  }

  it('has one line per server if there is room', () => {
    const bad = servers.filter(({ available }) => !available).length;
    assert.equal(serversTable(servers, 200, plain).split('\n').length, 1 + servers.length + 2 * bad);
  });

  it('has the same text in colour', () => {
    /** @type {import('../../client/console/terminal-text.js').Style} */
    const coloured = (tone, text) => styleText(/** @type {any} */ (tone), text, { validateStream: false });
    const text = serversTable(servers, 120, coloured);
    assert.notEqual(text, serversTable(servers, 120, plain));
    const bare = (/** @type {string} */ one) =>
      stripVTControlCharacters(one)
        .split('\n')
        .map((line) => line.trimEnd());
    assert.deepEqual(bare(text), bare(serversTable(servers, 120, plain)));
  });

  it('shows how many connections are served at once', () => {
    assert.deepEqual(
      [1, 'unbounded', { option: 'threads', default: 16 }, null].map((each) => atOnce(/** @type {any} */ (each))),
      ['1', 'unbounded', '16 threads', '?'],
    );
  });
});
