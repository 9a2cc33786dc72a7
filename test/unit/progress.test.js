// The lines of the console at a given width, and that only lines are written to a pipe.
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { bar, runBar } from '../../client/console/bar.js';
import { columns, columnsFor, header, line } from '../../client/console/live-lines.js';
import { Progress } from '../../client/console/progress.js';
import { styleFor, wrap } from '../../client/console/terminal-text.js';
import { endingText, incompleteText } from '../../client/words/endings.js';
import { legTable } from '../../client/console/leg-table.js';

const plain = (/** @type {any} */ _tone, /** @type {string} */ text) => text;
/** @type {any} */
const sample = {
  second: 65,
  phase: 'steady',
  fromNs: 64e9,
  toNs: 65e9,
  counters: { transfers: 123_456, failed: 0, unfinished: 0, unsent: 0, bytesSent: 0, bytesReceived: 126_418_944 },
  rejects: { refused: 12, timeout: 3 },
  errors: { reset: 0 },
  limitedBy: 'client',
  gauges: { connecting: 9, queued: 3, open: 9988, unanswered: 7, requested: 10_000, backingOff: 5 },
  histograms: { responseTime: { p50: 68_000_000, p99: 1_234_000_000 } },
  client: { cpuSeconds: 1.5 },
  server: { cpuSeconds: 0.98 },
};
const row = { seconds: 65, leg: 'multi-threaded', sample };
/** @param {import('../../client/console/live-lines.js').Need[]} needs */
const having = (...needs) => new Set(needs);

/** @param {{ isTTY?: boolean, columns?: number }} [terminal] */
function stream(terminal = {}) {
  const chunks = /** @type {string[]} */ ([]);
  const sink = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { sink: /** @type {any} */ (Object.assign(sink, terminal)), text: () => chunks.join('') };
}

describe('progress', () => {
  it('shows a second in one line below its header', () => {
    const [, names] = header(Infinity, plain);
    const text = line(row, Infinity, plain);
    assert.equal(
      text.replace(/ {2,}/g, '|').trim(),
      '1:05|multi-threaded|steady|12|9,988|10,000|7|123k|126|68 ms|1.23 s|5|15|0|150 %|98 %|client',
    );
    assert.equal(names.length, text.length - 'client'.length + 'limit'.length);
    for (const column of columnsFor(Infinity)) {
      if (!column.left) continue;
      assert.ok(text.slice(names.indexOf(column.name)).startsWith(column.text(row)));
    }
  });

  it('never wraps: the least important columns are dropped first', () => {
    for (let width = 20; width <= 200; width += 1) {
      const lines = [...header(width, plain), line(row, width, plain)];
      for (const one of lines) assert.ok(one.length <= width, `${one.length} > ${width}: ${one}`);
      const [groups] = header(width, plain, having('open loop'));
      for (const word of groups.match(/[a-z]+/gi) ?? []) {
        assert.match(word, /^(connections|transfers|open|loop|failures|CPU)$/, `whole, or not at all, at ${width}`);
      }
    }
    const names = columnsFor(80).map(({ name }) => name);
    assert.deepEqual(names, ['time', 'phase', 'open', 'unanswered', '/s', 'p50', 'p99', 'rejects', 'errors']);
    assert.deepEqual(
      columns.filter((one) => !columnsFor(Infinity).includes(one)).map(({ needs }) => needs),
      ['kinds of replies', 'open loop', 'open loop', 'open loop', 'busy polling'],
    );
    const without = (/** @type {number} */ width) =>
      columnsFor(Infinity)
        .map(({ name }) => name)
        .filter((name) => !columnsFor(width).some((shown) => shown.name === name));
    assert.deepEqual(
      [without(162), without(161), without(145), without(136)],
      [[], ['leg'], ['leg', 'limit'], ['leg', 'client', 'limit']],
    );
    assert.match(line({ ...row, sample: { ...sample, limitedBy: 'none' } }, Infinity, plain), /98 % {2}-$/);
  });

  it('shows due, late and waiting requests in open loop, and kinds of replies if a run has them', () => {
    /** @type {any} */
    const open = {
      ...sample,
      counters: { ...sample.counters, due: 50_000, late: 1234 },
      gauges: { ...sample.gauges, waiting: 77 },
      statuses: { '2xx': 80, '5xx': 15, '4xx': 5 },
    };
    const cells = (/** @type {any} */ features) =>
      line({ ...row, sample: open }, Infinity, plain, features)
        .split(/ {2,}/)
        .slice(9, -6);
    assert.deepEqual(cells(having()), ['68 ms', '1.23 s']);
    assert.deepEqual(cells(having('open loop')), ['68 ms', '1.23 s', '50,000', '1,234', '77']);
    assert.deepEqual(cells(having('open loop', 'kinds of replies')), [
      '20 %',
      '68 ms',
      '1.23 s',
      '50,000',
      '1,234',
      '77',
    ]);
    const [groups, names] = header(Infinity, plain, having('open loop', 'kinds of replies'));
    assert.match(names, /unwanted +p50 +p99 +due +late +waiting +back-off +rejects/);
    assert.match(groups, /── open loop ──/);
    const narrow = columnsFor(100, having('open loop', 'kinds of replies')).map(({ name }) => name);
    for (const name of ['p99', 'unwanted', 'late', 'waiting', 'rejects']) assert.ok(narrow.includes(name), name);
    const { sink, text } = stream();
    const progress = new Progress(sink, { env: {} });
    progress.setFeatures(having('open loop'));
    progress.row({ ...row, sample: open });
    assert.match(text(), /due +late +waiting[^]* 50,000 +1,234 +77 /);
  });

  it('shows in its column that a percentile is more than all times, because too many have no reply', () => {
    const failing = { ...sample, counters: { ...sample.counters, failed: 200_000 } };
    failing.histograms = { responseTime: { p50: 1, p99: 2, max: 238_000_000, count: 1 } };
    const cells = line({ ...row, sample: failing }, Infinity, plain).split(/ {2,}/);
    assert.equal(cells.filter((cell) => cell === '>238 ms').length, 2);
  });

  it('breaks a message between words, with and without styles', () => {
    assert.deepEqual(wrap('  \u001b[1m01-epoll\u001b[22m  127.0.0.1:80 · ten', 24), [
      '  \u001b[1m01-epoll\u001b[22m  127.0.0.1:80',
      '  · ten',
    ]);
    assert.deepEqual(wrap('averyveryverylongword b', 8), ['averyveryverylongword', 'b']);
    assert.deepEqual([wrap('', 8), wrap('a  b', Infinity)], [[''], ['a  b']]);
  });

  it('shows no rate for a span that is too short, and nothing that was not measured', () => {
    const text = line(
      { ...row, sample: { ...sample, fromNs: 64.9e9, server: null, histograms: { responseTime: null } } },
      Infinity,
      plain,
    );
    assert.equal(text.split(/\s{2,}/).filter((cell) => cell === '–').length, 6);
  });

  it('draws a bar that fits any terminal', () => {
    for (let width = 20; width <= 200; width += 7) {
      const text = bar({ label: 'epoll 1/3 steady', share: 0.5, secondsLeft: 61 }, width, plain);
      assert.ok(text.length < width);
    }
    assert.match(bar({ label: 'x', share: 0.5, secondsLeft: 61 }, 80, plain), /x {2}━{20}─{20} {2}50 % {2}1:01 left/);
    assert.match(bar({ label: 'x', share: 2, secondsLeft: null }, 80, plain), /━ 100 %$/);
  });

  it('shows on the bar the phase and the time left, and in the drain how long it takes at most', () => {
    const phases = { rampToNs: 5e9, steadyFromNs: 5e9, steadyToNs: 35e9 };
    const at = (/** @type {number} */ seconds, /** @type {number | null} */ drainEndsNs = null) =>
      runBar({ label: 'epoll', index: 1, legs: 3, phases, atNs: seconds * 1e9, drainEndsNs });
    assert.deepEqual(at(-1), { label: 'epoll 2/3 start', share: 1 / 3, secondsLeft: 70 });
    assert.deepEqual(at(1), { label: 'epoll 2/3 ramp', share: (1 + 1 / 35) / 3, secondsLeft: 69 });
    assert.deepEqual(at(7), { label: 'epoll 2/3 steady', share: (1 + 7 / 35) / 3, secondsLeft: 63 });
    assert.deepEqual(at(35, 45e9), { label: 'epoll 2/3 draining, at most 10 s', share: 2 / 3, secondsLeft: null });
    assert.equal(at(43.5, 45e9).label, 'epoll 2/3 draining, at most 2 s');
    assert.equal(at(45.5, 45e9).label, 'epoll 2/3 draining, at most 1 s', 'until the workers have ended');
    const interrupted = { label: 'epoll 2/3 draining, at most 10 s', share: (1 + 7 / 35) / 3, secondsLeft: null };
    assert.deepEqual(at(7, 17e9), interrupted);
  });

  it('writes no control codes to a pipe, and no colours with NO_COLOR', () => {
    const { sink, text } = stream();
    const progress = new Progress(sink, { env: {} });
    progress.setBar(() => ({ label: 'x', share: 0.1, secondsLeft: 5 }));
    progress.row(row);
    progress.note('careful', 'yellow');
    progress.end();
    assert.match(text(), /careful\n$/);
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(text(), /\u001b|\r/);
    assert.equal(styleFor({ isTTY: true }, { NO_COLOR: '1' })('red', 'x'), 'x');
    assert.equal(styleFor({ isTTY: true }, { TERM: 'dumb' })('red', 'x'), 'x');
    assert.equal(styleFor({ isTTY: true }, {})('red', 'x'), '\u001b[31mx\u001b[39m');
    assert.equal(styleFor({}, { FORCE_COLOR: '1' })('red', 'x'), 'x');
  });

  it('rewrites the bar in place on a terminal, and removes it at the end', () => {
    const { sink, text } = stream({ isTTY: true, columns: 80 });
    const progress = new Progress(sink, { env: { NO_COLOR: '1' } });
    progress.setBar(() => ({ label: 'epoll', share: 0.25, secondsLeft: 5 }));
    progress.row(row);
    progress.end();
    assert.equal(text().split('\u001b[2K').length, 3);
    assert.ok(text().endsWith('\u001b[2K\u001b[1G'));
    assert.equal(progress.timer?.hasRef(), false);
  });

  it('repeats the header from time to time', () => {
    const { sink, text } = stream();
    const progress = new Progress(sink, { env: { COLUMNS: '100' } });
    for (let i = 0; i < 41; i += 1) progress.row(row);
    assert.equal(text().match(/unanswered/g)?.length, 3);
    assert.ok(
      text()
        .split('\n')
        .every((one) => one.length <= 100),
    );
  });

  it('starts a leg with a line, and repeats the column header only when it is far above', () => {
    const { sink, text } = stream();
    const progress = new Progress(sink, { env: { COLUMNS: '100' } });
    for (const name of ['01-a', '02-b', '03-c']) {
      progress.heading(`\n${name}  127.0.0.1:80`);
      for (let i = 0; i < 4; i += 1) progress.row(row);
    }
    const kinds = text()
      .split('\n')
      .map((one) =>
        one === '' ? '-' : /^\d\d-/.test(one) ? 'L' : /unanswered/.test(one) ? 'H' : /──/.test(one) ? '' : '.',
      )
      .join('');
    assert.equal(kinds, '-LH....-L....-LH....-');
  });

  it('prints only the end when quiet', () => {
    const { sink, text } = stream({ isTTY: true });
    const progress = new Progress(sink, { env: {}, quiet: true });
    progress.setBar(() => ({ label: 'x', share: 0, secondsLeft: 1 }));
    progress.row(row);
    progress.note('no');
    progress.say('yes');
    assert.equal(text(), 'yes\n');
  });

  it('prints remarks and the end where no progress is to be shown', () => {
    const { sink, text } = stream({ isTTY: true });
    const progress = new Progress(sink, { env: { NO_COLOR: '1' }, isShown: false });
    progress.setBar(() => ({ label: 'x', share: 0, secondsLeft: 1 }));
    progress.row(row);
    progress.note('a remark');
    progress.say('the end');
    assert.equal(text(), 'a remark\nthe end\n');
  });

  it('continues when its reader has gone', () => {
    const { sink } = stream();
    const progress = new Progress(sink, { env: {} });
    sink.emit('error', Object.assign(new Error('gone'), { code: 'EPIPE' }));
    progress.row(row);
    assert.equal(progress.closed, true);
  });
});

describe('the table of legs', () => {
  it('shows a leg that never ran', () => {
    /** @type {any[]} */
    const legs = ['one', 'two', 'three'].map((label) => ({ label, endedBy: 'server-start', complete: false }));
    const wide = legTable(legs, Infinity);
    assert.match(wide, /one +two +three\n/);
    const [, ...words] = wide.split('\n', 4).map((line) => line.trim().split(/ {2,}/).at(-1));
    assert.equal(words.join(' '), `incomplete: ${endingText('server-start')}`);
    const narrow = legTable(legs, 60);
    assert.equal(
      narrow
        .split('\n')
        .slice(-2)
        .map((line) => line.trim())
        .join(' '),
      incompleteText(legs),
    );
    assert.ok(narrow.split('\n').every((one) => one.length <= 60));
  });

  it('has no row that no leg can fill', () => {
    /** @type {any} */
    const leg = {
      label: 'one',
      endedBy: 'done',
      complete: true,
      transfers: { count: 99, failed: 0, unfinished: 0 },
      connections: {
        ...{ openAtEnd: 0, requested: 100, opened: 100, unansweredAtEnd: 0, neverAnswered: 1 },
        ...{ lost: 0, reopened: 0 },
      },
      rejects: { total: 0 },
      errors: { total: 0 },
      limitedBy: 'none',
    };
    const table = legTable([leg], Infinity);
    assert.match(table, /requested +100\n/);
    assert.doesNotMatch(table, /response|–/);
    assert.match(legTable([{ ...leg, endedBy: 'plan' }], Infinity), /open at the end +0\n requested +100/);
  });
});
