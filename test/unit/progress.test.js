// The lines of the console: how they are written to a terminal or a pipe, and which seconds of which legs have one.
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { Progress } from '../../client/console/progress.js';
import { RunDisplay } from '../../client/console/run-display.js';
import { styleFor } from '../../client/console/terminal-text.js';
import { TurnLines } from '../../client/console/turn-lines.js';
import { Histogram } from '../../client/measure/histogram.js';
import { warning } from '../../client/words/warnings.js';
import { recordedSample } from '../fixtures/recorded-run.js';

const row = { seconds: 65, leg: 'multi-threaded', sample: recordedSample({ phase: 'steady' }) };

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
  it('writes no control codes to a pipe, and no colours with NO_COLOR', () => {
    const { sink, text } = stream();
    const progress = new Progress(sink, { env: {} });
    progress.open(() => ['a screen']);
    progress.rows([row]);
    progress.note('careful', 'yellow');
    progress.close();
    assert.match(text(), /careful\n$/);
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(text(), /\u001b|\r/);
    const red = '\u001b[31mx\u001b[39m';
    for (const [terminal, env, styled] of /** @type {[object, Record<string, string>, string][]} */ ([
      [{ isTTY: true }, { NO_COLOR: '1' }, 'x'],
      [{ isTTY: true }, { TERM: 'dumb' }, 'x'],
      [{ isTTY: true }, {}, red],
      [{}, { FORCE_COLOR: '1' }, 'x'],
    ]))
      assert.equal(styleFor(terminal, env)('red', 'x'), styled);
  });

  it('starts a leg with a line, and repeats the column header only when it is far above', () => {
    const { sink, text } = stream();
    const progress = new Progress(sink, { env: { COLUMNS: '100' } });
    for (const name of ['01-a', '02-b', '03-c']) {
      progress.heading(`\n${name}  127.0.0.1:80`);
      for (let i = 0; i < 4; i += 1) progress.rows([row]);
    }
    const kinds = text()
      .split('\n')
      .map((line) =>
        line === '' ? '-' : /^\d\d-/.test(line) ? 'L' : /unanswered/.test(line) ? 'H' : /──/.test(line) ? '' : '.',
      )
      .join('');
    assert.equal(kinds, '-LH....-L....-LH....-');
  });

  it('prints only the end when quiet, and remarks too where no progress is to be shown', () => {
    for (const [options, said] of /** @type {[object, string][]} */ ([
      [{ quiet: true }, 'the end\n'],
      [{ kind: 'none' }, 'a remark\nthe end\n'],
    ])) {
      const { sink, text } = stream({ isTTY: true });
      const progress = new Progress(sink, { env: { NO_COLOR: '1' }, ...options });
      progress.open(() => ['a screen']);
      progress.rows([row]);
      progress.note('a remark');
      progress.say('the end');
      assert.equal(text(), said);
    }
  });

  it('continues when its reader has gone', () => {
    const { sink } = stream();
    const progress = new Progress(sink, { env: {} });
    sink.emit('error', Object.assign(new Error('gone'), { code: 'EPIPE' }));
    progress.rows([row]);
    assert.equal(progress.closed, true);
  });
});

/**
 * @param {any[]} seconds leg and sample of each
 * @param {object} [load]
 * @returns {string} leg, second and unanswered of each line
 */
function linesOf(seconds, load) {
  const stream = /** @type {any} */ ({ on() {}, write() {} });
  const scenario = /** @type {any} */ ({ protocol: 'echo', workload: 'continuous', ...load });
  const plan = /** @type {any} */ ({ legs: seconds.map(({ leg }) => leg) });
  const display = new RunDisplay(stream, { scenario, plan, only: null });
  /** @type {string[]} */
  const lines = [];
  display.progress.rows = (rows) =>
    void lines.push(...rows.map(({ leg, seconds: at, sample }) => `${leg} ${at}: ${sample.gauges.unanswered}`));
  for (const { leg, sample } of seconds) {
    if (!display.totals.has(leg.id))
      display.totals.set(leg.id, { reopened: 0, lost: 0, lostWithWorker: 0, closedInPause: 0 });
    display.sample(leg, sample);
  }
  return lines.join(', ');
}

/** @param {any} leg @param {number} second @param {Record<string, any>} [over] of the sample */
const secondOf = (leg, second, over) => ({
  leg,
  sample: {
    ...{ fromNs: (second - 1) * 1e9, toNs: second * 1e9, phase: 'steady', counters: {}, rejects: {}, errors: {} },
    ...{ gauges: { requested: 5, unanswered: 3, openedLastSecond: 2 } },
    ...over,
  },
});

describe('the lines of a run', () => {
  const a = { id: 'a', label: 'a' };

  it('are one for each second of a leg', () => {
    const seconds = [secondOf(a, 1), secondOf(a, 2), secondOf(a, 2.1, { fromNs: 2e9 })];
    assert.equal(linesOf(seconds), 'a 1: 3, a 2: 3');
  });

  it('count none of those opened in the last second as unanswered, where connections end as planned', () => {
    const counters = { reopened: 9, lost: 4 };
    const noKeepAlive = { protocol: 'http', protocolOptions: { keepAlive: false } };
    for (const [load, unanswered, more] of /** @type {[object, number, object?][]} */ ([
      [{ workload: 'reconnect' }, 1],
      [{ lifetime: {} }, 1],
      [noKeepAlive, 1],
      [{ ...noKeepAlive, workload: 'once' }, 3],
      [{ lifetime: { reopen: false } }, 3],
      [{}, 1, { counters }], // closed by the server as announced
      [{}, 3, { counters: { ...counters, lostWithWorker: 1 } }],
      [{}, 3, { gauges: { requested: 0, unanswered: 3, openedLastSecond: 2 } }],
    ]))
      assert.equal(linesOf([secondOf(a, 1, more)], load), `a 1: ${unanswered}`);
  });

  it('are of a second or a part of one that is long enough, or in which something failed', () => {
    const remnant = secondOf(a, 2.1, { fromNs: 2e9 });
    assert.equal(linesOf([remnant]), '');
    assert.equal(linesOf([secondOf(a, 2.1, { fromNs: 2e9, errors: { reset: 1 } })]), 'a 2.1: 3');
  });
});

describe('the lines of a run of several legs', () => {
  it('do not say under each leg of a search what to do on a busy machine: its answer does', () => {
    const warned = warning('background-load', { cores: 1, of: 2 });
    const textOf = (/** @type {object} */ plan) => {
      const { sink, text } = stream();
      const scenario = /** @type {any} */ ({ protocol: 'echo', workload: 'continuous' });
      const legs = ['a', 'b'].map((label) => /** @type {any} */ ({ id: label, label }));
      new RunDisplay(sink, { scenario, plan: /** @type {any} */ ({ legs, ...plan }), only: null }).legWarning(
        warned,
        legs[0],
      );
      return text().trim();
    };
    assert.equal(textOf({ search: {} }), `! ${warned.text}`);
    assert.equal(textOf({}), `! a: ${warned.text}. ${warned.remedy}`);
  });

  it('have the clock of the run, and remarks on a leg name it', () => {
    const legs = ['a', 'b'].map((label) => /** @type {any} */ ({ id: label, label, settings: {} }));
    const { sink, text } = stream();
    const scenario = /** @type {any} */ ({ protocol: 'echo', workload: 'continuous' });
    const plan = /** @type {any} */ ({ legs, cases: ['a', 'b'] });
    const display = new RunDisplay(sink, { scenario, plan, only: null });
    for (const [i, leg] of legs.entries()) {
      display.screen.board.begin(leg);
      display.workersStart(leg, 10_000 * i, () => assert.fail('no screen'));
      display.sample(leg, recordedSample({ fromNs: 2e9, toNs: 3e9, phase: 'ramp' }));
      display.sample(leg, recordedSample({ fromNs: 3e9, toNs: 3.5e9, phase: 'steady' }));
      display.legWarning(/** @type {any} */ ({ code: 'careful', text: 'careful' }), leg);
      const ramp = { steps: [{ requested: 9 }], knee: null };
      display.legEnds(/** @type {any} */ ({ ...leg, ramp }), new Histogram());
    }
    const lines = text().split('\n');
    const rows = lines
      .flatMap((line) => [/^(\w+) +(\d:[\d.]+) {2}(ramp|steady)/.exec(line)?.slice(1) ?? []])
      .filter(([name]) => name);
    assert.deepEqual(
      rows.map(([name, , phase]) => `${name} ${phase}`),
      ['a ramp', 'a steady', 'b ramp', 'b steady'],
    );
    const times = rows.map(([, at]) => at);
    assert.deepEqual([times.slice(0, 2), times], [['0:03', '0:03.5'], [...times].sort()]);
    assert.ok(times[2] >= '0:13', times[2]);
    assert.deepEqual(
      lines.flatMap((line) => /^ +(! )?(\w): (careful|.*knee)/.exec(line)?.slice(2, 3) ?? []),
      ['a', 'b'],
      'where throughput bends is said of all servers at once, at the end',
    );
  });
});

describe('the lines of servers that take turns', () => {
  /** Two servers, each started twice. */
  const legs = [1, 2].flatMap((start) =>
    ['a', 'b'].map((label) => ({ id: `${label}${start}`, case: label, label, start })),
  );

  /**
   * @param {TurnLines} lines @param {any} leg @param {number} second @param {Record<string, any>} [over]
   * @returns {string} server, end, transfers, errors and unanswered of each row that can be shown then
   */
  function rowsAfter(lines, leg, second, over) {
    const { sample } = secondOf(leg, second, { counters: { transfers: 10 }, errors: { reset: 0 }, ...over });
    const gauges = { open: 5, unanswered: 0, ...over?.gauges };
    return textOf(lines.add(leg, recordedSample({ ...sample, gauges })));
  }

  /** @param {ReturnType<TurnLines['add']>} rows */
  const textOf = (rows) =>
    rows
      .map(({ leg, sample: { phase, toNs, counters, errors, gauges } }) =>
        [leg, phase, toNs / 1e9, counters.transfers, errors.reset, gauges.unanswered].join(' '),
      )
      .join(', ');

  it('are of as many seconds as there are servers, when all have told them; the starts together', () => {
    const lines = new TurnLines(legs);
    const [a1, b1, a2, b2] = legs;
    for (const leg of [b1, a2, b2, a1]) assert.equal(rowsAfter(lines, leg, 1), '');
    assert.equal(rowsAfter(lines, b2, 2, { errors: { reset: 3 } }), '');
    assert.equal(rowsAfter(lines, b1, 2), '');
    assert.equal(rowsAfter(lines, a2, 2, { gauges: { unanswered: 4 } }), '');
    assert.equal(rowsAfter(lines, a1, 2), 'a steady 2 40 0 4, b steady 2 40 3 0');
  });

  it('end with their phase, and with their legs, of which one may end early', () => {
    const lines = new TurnLines(legs.slice(0, 2));
    const [a1, b1] = legs;
    for (const leg of [a1, b1]) assert.equal(rowsAfter(lines, leg, 1, { phase: 'ramp' }), '');
    assert.equal(rowsAfter(lines, b1, 2), '');
    assert.equal(rowsAfter(lines, a1, 2), 'a ramp 1 10 0 0, b ramp 1 10 0 0, a steady 2 10 0 0, b steady 2 10 0 0');
    assert.equal(rowsAfter(lines, a1, 3), '');
    assert.equal(textOf(lines.end('b1')), '');
    assert.equal(rowsAfter(lines, a1, 4), 'a steady 4 20 0 0');
    assert.equal(rowsAfter(lines, a1, 5), '');
    assert.equal(textOf(lines.end('a1')), 'a steady 5 10 0 0');
  });

  it('go forward in time, and are fewer after a minute', () => {
    const lines = new TurnLines(legs.slice(0, 2));
    /** @type {number[]} */
    const times = [];
    for (let second = 1; second <= 100; second += 1) {
      for (const leg of second % 2 === 0 ? legs.slice(0, 2) : [legs[1], legs[0]]) {
        const text = rowsAfter(lines, leg, second);
        if (text !== '') times.push(...text.split(', ').map((row) => Number(row.split(' ')[2])));
      }
    }
    assert.deepEqual(
      times,
      [...times].sort((a, b) => a - b),
    );
    assert.deepEqual([times.length, times.slice(-4)], [60 + 2 * 4, [90, 90, 100, 100]]);
  });
});
