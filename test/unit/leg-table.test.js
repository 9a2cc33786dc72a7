// The table at the end of a run: a column per leg while these are few and fit, otherwise a row per leg.
import assert from 'node:assert/strict';
import { stripVTControlCharacters } from 'node:util';
import { servedOnlySome } from '../../client/words/figures.js';
import { plain, styleFor } from '../../client/console/terminal-text.js';
import { figures } from '../../client/judge/figures.js';
import { incompleteText } from '../../client/words/endings.js';
import { legTable } from '../../client/console/leg-table.js';
import { shortened, shortLabels } from '../../client/console/shorten-labels.js';

/**
 * @param {string} label
 * @param {{ requested?: number, open?: number, unanswered?: number, never?: number, model?: object, p50?: number }} [what]
 * @returns {any} the summary of a leg
 */
function leg(label, { requested = 1000, open = requested, unanswered = 0, never = 0, model, p50 = 12.4e6 } = {}) {
  return {
    label,
    endedBy: 'plan',
    complete: true,
    limitedBy: 'machine',
    limitShares: { machine: 1 },
    ...(model ? { serverModel: { language: 'c', model: 'some', ...model } } : {}),
    connections: {
      requested,
      openAtEnd: open,
      opened: requested,
      unansweredAtEnd: unanswered,
      neverAnswered: never,
      lost: 0,
      reopened: 0,
    },
    attempts: { total: 10_000, opened: 9988, rejected: 12, abandoned: 0 },
    rejects: { total: 12, refused: 12 },
    errors: { total: 0 },
    transfers: { count: 9e5, failed: 0, unfinished: 0 },
    steady: {
      fromNs: 0,
      toNs: 1e9,
      transfers: 9e5,
      failed: 0,
      unfinished: 0,
      perSecond: 85_200,
      bytesPerSecond: 87e6,
      responseTimeNs: { p50, p90: 2 * p50, p99: 3 * p50, p99_9: 4 * p50, max: 5e9 },
      client: { cpuSeconds: 0.3 },
      server: { cpuSeconds: 0.24 },
    },
    connectTimeNs: { p99: 53.3e6 },
    serverUse: { peakRssBytes: 1.9 * 2 ** 20 },
  };
}

const many = Array.from({ length: 14 }, (_, i) => leg(`server-${i}`));
const iterative = leg('iterative', { unanswered: 999, never: 300, model: { concurrent: 1 }, p50: 7850 });
const prethreaded = leg('prethreaded', { unanswered: 984, model: { concurrent: 16, by: 'threads' } });
const lines = (/** @type {string} */ table) => table.split('\n');

describe('the table of a leg', () => {
  it('has failures and parts of figures only where there are some, below what they are parts of', () => {
    const titlesOf = (/** @type {any} */ one) =>
      lines(legTable([one], 120)).map((line) => (line.slice(1).match(/^ *\S+( \S+)*/) ?? [''])[0]);
    const titles = titlesOf({ ...leg('some'), errors: { total: 3, reset: 3, timeout: 0 } });
    assert.deepEqual(titles.slice(titles.indexOf('errors')).slice(0, 2), ['errors', '  reset']);
    assert.ok(!titles.some((title) => /timeout|lost|unanswered|failed|abandoned/.test(title)), titles.join());
    const none = titlesOf({ ...leg('none', { unanswered: 1000 }), errors: { total: 0 } });
    for (const title of ['  served', '  unanswered', 'errors']) assert.ok(none.includes(title), none.join());
  });

  it('of ten rows keeps throughput and response times, with every failure beside them', () => {
    const titlesOf = (/** @type {any} */ one, most = Infinity) =>
      lines(legTable([one], 200, styleFor(process.stdout, { NO_COLOR: '1' }), { most, elsewhere: [] })).map(
        (line) => line.trim().split(/ {2,}/)[0],
      );
    const bad = { ...leg('a'), transfers: { count: 9e5, failed: 3, unfinished: 100 }, errors: { total: 7, reset: 7 } };
    const [some, all] = [titlesOf(bad, 10), titlesOf(bad)];
    assert.ok(some.length < all.length);
    for (const title of ['transfers/s', 'response p50', 'response p99', 'rejects', 'errors', 'reset']) {
      assert.ok(some.includes(title), `${title} in ${some}`);
    }
    assert.match(some.at(-1) ?? '', /--table all/);
  });

  it('leaves out of its rows what the table of servers has', () => {
    const elsewhere = figures.filter(({ name }) => ['rate', 'p99'].includes(name));
    const rowsOf = (/** @type {any} */ rows) =>
      lines(legTable([leg('a'), leg('b')], 200, plain, rows)).map((line) => line.trim().split(/ {2,}/)[0]);
    const [all, some] = [rowsOf({ most: 10, elsewhere: [] }), rowsOf({ most: 10, elsewhere })];
    assert.deepEqual(
      all.slice(0, -1).filter((row) => !some.includes(row)),
      ['transfers/s', 'response p99'],
    );
  });

  it('shows sent bytes where they say more than received bytes', () => {
    const sends = leg('sends');
    Object.assign(sends.steady, { bytesSentPerSecond: 250e6 });
    assert.match(legTable([sends], 120), /\n MB\/s +87(\.0)?\s*\n MB\/s sent +250/);
    Object.assign(sends.steady, { bytesSentPerSecond: 150e6 });
    assert.doesNotMatch(legTable([sends], 120), /sent/);
  });
});

describe('the account of connections in a table', () => {
  const account = {
    ...{ requested: 1500, served: 592, unanswered: 101, idle: 0, connecting: 769, rejected: 38, lost: 0, queued: 0 },
    closed: 0,
  };
  const accounted = { ...leg('mine', { requested: 1500, open: 693, unanswered: 101 }), account };

  it('comes first, and adds up to the connections requested', () => {
    const rows = lines(legTable([accounted], 120)).map((line) => line.trim().split(/ {2,}/));
    const at = rows.findIndex(([title]) => title === 'requested');
    assert.deepEqual(
      rows.slice(at, at + 5).map(([, value]) => value),
      ['1,500', '592', '101', '769', '38'],
    );
    assert.equal(592 + 101 + 769 + 38, 1500);
    assert.ok(at < rows.findIndex(([title]) => title === 'transfers/s'));
  });

  it('has a column for each part in a row a leg', () => {
    const text = legTable([accounted, ...many], 200);
    const row = lines(text).find((line) => line.startsWith(' mine'));
    assert.match(row ?? '', /693 +1,500 +592 +101 +769 +38 +1,500 +12 /);
  });

  it('does not call held connections served', () => {
    const idle = { ...account, served: 0, unanswered: 0, connecting: 0, rejected: 0, idle: 1500 };
    const held = { ...leg('mine', { requested: 1500 }), heldOnly: true, account: idle };
    assert.doesNotMatch(legTable([held], 120), /served/);
  });
});

describe('the table of cases over rounds', () => {
  const titles = (/** @type {any[]} */ legs) =>
    lines(legTable(legs, Infinity))
      .map((line) => line.trim().split(/ {2,}/)[0])
      .filter((title) => title !== '');
  const MEDIANS = ['ended', 'transfers/s', 'MB/s', 'response p50', 'response p99', 'connect p99'];

  it('marks each row that is of the worst round, and no median', () => {
    const one = leg('a', { unanswered: 9, never: 9 });
    one.connections.lost = 1;
    const shown = titles([{ ...one, rounds: 3 }]);
    for (const title of [
      'open at the end',
      'served',
      'unanswered',
      'unanswered after drain',
      'rejects',
      'errors',
      'lost in all',
      'transfers',
    ])
      assert.ok(shown.includes(`${title} (worst)`), `${title}: ${shown.join(', ')}`);
    for (const title of MEDIANS) assert.ok(shown.includes(title), title);
    assert.ok(
      titles([leg('a')]).every((title) => !title.includes('worst')),
      'one round has no worst',
    );
  });

  it('has no interval of a median beside the value of the worst round', () => {
    const shown = titles([{ ...leg('a'), rounds: 3, intervals: { served: [80, 120], perSecond: [80, 120] } }]);
    assert.equal(shown.filter((title) => title === '95 % interval').length, 1);
  });

  it('of a sweep in which nothing is transferred has a row for each leg', () => {
    const held = [10, 20].map((connections) => {
      const one = leg('a');
      const { steady: _steady, ...rest } = { ...one, series: 'a', heldOnly: true, axes: { connections } };
      return rest;
    });
    assert.ok(lines(legTable(/** @type {any} */ (held), 120)).length > 2);
  });

  it('says of how many rounds its figures are, and which are of the worst', () => {
    const [first] = lines(
      legTable(
        many.map((one) => ({ ...one, rounds: 3 })),
        200,
      ),
    );
    assert.match(first, /\b3\b.*worst/i);
    assert.doesNotMatch(legTable(many, 200), /worst/i);
  });

  it('has the intervals over the rounds below their figures, or in columns of their own', () => {
    const case_ = { ...leg('a'), rounds: 3, intervals: { p99Ns: [30e6, 40e6], served: [1000, 1000] } };
    const rows = lines(legTable([case_], Infinity));
    const at = rows.findIndex((line) => line.startsWith(' response p99 '));
    assert.match(rows[at + 1], /95 % .* 30 ms to 40 ms$/);
    assert.equal(rows.filter((line) => line.includes('95 %')).length, 1);
    assert.match(legTable([case_, ...many], 200), /95 % CI of p99.*\n a .* 30 ms to 40 ms /);
  });
});

describe('the table of legs side by side', () => {
  it('marks the figures of a server that served only some, and says so below', () => {
    const rows = lines(legTable([leg('epoll'), iterative], Infinity));
    for (const title of ['transfers/s', 'response p50', 'response p99', 'response max'])
      assert.match(rows.find((line) => line.startsWith(` ${title} `)) ?? '', /\d[^*]*\S +\S.*\*$/, title);
    assert.doesNotMatch(rows.find((line) => line.startsWith(' server memory ')) ?? '', /\*/);
    assert.match(rows.join(' '), /\* Only of the connections that were served: iterative serves 1 at once/);
    assert.doesNotMatch(legTable([leg('epoll'), leg('poll')], Infinity), /\*/);
  });
});

describe('the table of many legs', () => {
  it('has one row per leg, none wider than the terminal, and names what it leaves out', () => {
    for (let width = 40; width <= 200; width += 1) {
      const table = legTable([...many, iterative], width);
      for (const line of lines(table)) assert.ok(line.length <= width, `${line.length} > ${width}: ${line}`);
      assert.equal(lines(table).filter((line) => /^ (server-\d+|iterative) {2,}/.test(line)).length, 15);
      const header = lines(table).find((line) => line.startsWith(' server ')) ?? '';
      const said = table.replace(/\s+/g, ' ');
      for (const [name, called] of Object.entries({
        open: 'open at the end',
        rejects: 'rejects',
        max: 'response max',
        CPU: 'server CPU',
        memory: 'server memory',
        'limited by': 'limited by',
      })) {
        const left = new RegExp(`Left out at ${width} columns, but in summary\\.json: .*\\b${called}\\b`).test(said);
        const names = header.trim().split(/ {2,}/);
        assert.equal(names.includes(name), !left, `${name} at ${width}`);
      }
    }
  });

  it('shows unserved connections and speed at 80 columns, and everything in a pipe', () => {
    const header = (/** @type {number} */ width) =>
      lines(legTable([...many, iterative], width)).find((line) => line.startsWith(' server ')) ?? '';
    const names = (/** @type {number} */ width) => header(width).trim().split(/ {2,}/);
    assert.deepEqual(names(80), ['server', 'served', 'unanswered', 'rejects', 'errors', '/s', 'p50', 'p99']);
    const all = ['server', 'open', 'served', 'unanswered', 'opened', 'rejects', 'errors', '/s', 'p50', 'p99', 'max'];
    assert.deepEqual(names(Infinity).slice(0, all.length), all);
    for (const name of ['CPU', 'memory', 'limited by']) assert.ok(names(Infinity).includes(name), name);
    assert.equal(header(Infinity), header(200));
    assert.doesNotMatch(legTable(many, Infinity), /Left out|\*/);
    assert.match(legTable(many, 120), /1,000 connections requested of each/);
    assert.match(
      legTable(many, 200),
      /server-3 +1,000 +1,000 +1,000 +12 +0 +85,200 +12\.4 ms +37\.2 ms +5 s +53\.3 ms +24 % /,
    );
  });

  it('marks response times that come from a few connections only, with their number', () => {
    const table = legTable([...many, iterative, prethreaded], 200);
    assert.match(table, /iterative +1,000 +1 +999 .* 7\.85 µs\* +23\.6 µs\* /);
    assert.match(
      table,
      /\* Only of the connections that were served: iterative serves 1 at once: 999 of 1,000 unanswered;/,
    );
    assert.match(table.replace(/\s+/g, ' '), /prethreaded serves 16 at once \(threads\): 984 of 1,000 unanswered\./);
    assert.match(table, /server-3 .* 12\.4 ms +37\.2 ms /);
    assert.equal(servedOnlySome(leg('x', { unanswered: 10 })), undefined, 'one in a hundred is not many');
    assert.equal(servedOnlySome(leg('x', { unanswered: 431 })), '431 of 1,000 unanswered');
    assert.equal(
      servedOnlySome(leg('x', { unanswered: 999, model: { concurrent: 'unbounded' } })),
      '999 of 1,000 unanswered',
    );
    assert.equal(servedOnlySome({ ...leg('x', { unanswered: 999 }), churns: true }), undefined);
  });

  it('is used from seven legs on, or when columns would be too wide, but never for one leg', () => {
    const first = (/** @type {any[]} */ legs, /** @type {number} */ width) => lines(legTable(legs, width))[0];
    assert.match(first(many.slice(0, 6), Infinity), /^ +server-0 +server-1 +.*server-5$/);
    assert.match(legTable(many.slice(0, 7), Infinity), /^ server-6 /m);
    assert.match(legTable(many.slice(0, 4), 60), /^ server-3 /m);
    assert.match(first(many.slice(0, 3), 80), /server-0 +server-1 +server-2/);
    assert.match(first([leg('x'.repeat(300))], 60), /x…x/);
  });

  it('shows the most open connections and the unanswered ones of a profile', () => {
    const along = leg('iterative', {
      requested: 150,
      open: 143,
      unanswered: 127,
      model: { concurrent: 16, by: 'threads' },
    });
    Object.assign(along.connections, { requestedAtEnd: 20, peakOpen: 148 });
    assert.match(
      legTable([along], 120),
      /\n open at the end +143\n most open +148\n most requested +150\n requested +20\n/,
    );
    const rows = legTable(Array(7).fill(along), 160);
    assert.match(rows, /open +most open +most requested .*\n iterative +143 +148 +150 +16 +127 /s);
    assert.match(rows, /iterative serves 16 at once \(threads\): 127 of 143 unanswered/);
    assert.doesNotMatch(legTable([leg('epoll')], 120), /most open/);
  });

  it('also shows in columns how many connections a server serves at once', () => {
    const table = legTable([leg('epoll', { model: { concurrent: 'unbounded' } }), iterative, prethreaded], 120);
    assert.match(table, /serves at once +unbounded +1 +16 threads\n/);
    assert.doesNotMatch(legTable([leg('epoll', { model: { concurrent: 'unbounded' } })], 120), /serves at once/);
    const enough = leg('preforked', { requested: 16, model: { concurrent: 16, by: 'processes' } });
    assert.doesNotMatch(legTable([enough], 120), /serves at once/);
  });

  it('keeps long names distinct, and does not widen cells by styling', () => {
    assert.equal(shortened('epoll', 5), 'epoll');
    assert.equal(shortened('epoll-backlog-128', 12), 'epoll-…g-128');
    const kinds = ['epoll-pool (workKind wait)', 'epoll-pool (workKind block)', 'go'];
    const short = (/** @type {number} */ most) => [...shortLabels(kinds, most).values()];
    assert.deepEqual(short(27), kinds);
    assert.deepEqual(short(26), ['epoll-pool (wait)', 'epoll-pool (block)', 'go']);
    assert.deepEqual(short(14), ['epo…ool (wait)', 'epo…ol (block)', 'go']);
    const long = ['-128', '-4096'].map((end) => leg(`a-server-with-a-name-that-goes-on-and-on${end}`));
    for (const width of [40, 80, 120, 200]) {
      const plain = legTable([...many, ...long, iterative], width);
      for (const line of lines(plain)) assert.ok(line.length <= width);
      assert.equal(
        new Set(
          lines(plain)
            .filter((line) => /^ a-serv/.test(line))
            .map((line) => line.split(' ')[1]),
        ).size,
        2,
      );
      const styled = legTable([...many, ...long, iterative], width, styleFor({ isTTY: true }, {}));
      assert.notEqual(styled, plain);
      const trimmed = lines(stripVTControlCharacters(styled))
        .map((line) => line.trimEnd())
        .join('\n');
      assert.equal(trimmed, plain);
    }
  });

  it('distinguishes languages, legs with fewer connections, and legs that did not run', () => {
    const go = leg('go', { model: { language: 'go', concurrent: 'unbounded' } });
    const cut = {
      ...leg('cut', { requested: 400, model: { concurrent: 'unbounded' } }),
      complete: false,
      endedBy: 'interrupted',
    };
    const none = { label: 'none', endedBy: 'server-start', complete: false };
    const table = legTable([...many, go, cut, none], 200);
    assert.match(table, / go +go +1,000 +1,000 /);
    assert.match(table, / cut +c +400 +400 /);
    assert.match(table, / none +– +– +– +–/);
    assert.ok(table.includes(incompleteText([cut, none])));
    assert.doesNotMatch(legTable([...many, none], 200), /language/);
  });

  it('has the columns first that matter where connections come and go', () => {
    const narrow = (/** @type {any[]} */ legs) => lines(legTable(legs, 80)).find((line) => line.startsWith(' server '));
    assert.match(legTable(many, 80), /Left out .*connect p99/s);
    assert.match(narrow(many.map((one) => ({ ...one, churns: true }))) ?? '', /p50 +p99 .*p99$/);
  });

  it('has no column of which no leg has a figure', () => {
    const held = many.map(({ steady, ...rest }) => ({ ...rest, steady: { ...steady, responseTimeNs: undefined } }));
    assert.doesNotMatch(legTable(held, Infinity), /p50|max/);
  });
});
