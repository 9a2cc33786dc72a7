// The screen of a run on a terminal: its text for a recorded run (test/golden/screen.txt), and how it is redrawn in
// place, on a simulated terminal.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Board } from '../../client/console/board.js';
import { fateBar, fateKey } from '../../client/console/fate-bar.js';
import { Progress } from '../../client/console/progress.js';
import { RunDisplay } from '../../client/console/run-display.js';
import { courseBar, phaseText, runCourse } from '../../client/console/run-course.js';
import { screenLines } from '../../client/console/screen-lines.js';
import { sparkline } from '../../client/console/sparkline.js';
import { lengthOf, plain, styleFor } from '../../client/console/terminal-text.js';
import { assertGolden } from '../fixtures/golden.js';
import { RECORDED, recorded } from '../fixtures/recorded-run.js';

/** @import { Screen } from '../../client/console/screen-lines.js' */

/** @type {any[]} */
const legs = recorded('plan.json').legs.map((/** @type {any} */ leg) => ({ ...leg, settings: {} }));
/** @type {Map<string, any[]>} */
const samples = new Map(
  legs.map(({ id }) => {
    const lines = readFileSync(join(RECORDED, id, 'samples.ndjson'), 'utf8')
      .trim()
      .split('\n');
    return [id, lines.map((line) => JSON.parse(line))];
  }),
);

/**
 * @param {any[]} some legs, measured at the same time @param {number} seconds of them
 * @param {(leg: any, sample: any) => any} [change] of each sample
 * @returns {{ board: Board, said: string[] }}
 */
function boardOf(some, seconds, change = (_leg, sample) => sample) {
  const board = new Board();
  board.plan(some);
  for (const leg of some) board.begin(leg);
  const said = some.flatMap((leg) =>
    (samples.get(leg.id) ?? []).slice(0, seconds).flatMap((original) => {
      const sample = change(leg, original);
      return board.add(leg, sample, sample.toNs / 1e9).map(({ text, at }) => `${at.toFixed(1)} ${text}`);
    }),
  );
  return { board, said };
}

/** @param {Board} board @param {object} [over] @returns {Screen} */
const screenOf = (board, over) => ({
  ...{ name: '10k-1kb', course: { phase: 'steady', doneNs: 20e9, ofNs: 40e9 }, mayEndEarlier: false },
  ...{
    ramp: board.ramp(),
    others: board.others(),
    servers: board.shown(),
    times: board.times,
    events: [],
    foot: 'foot',
  },
  ...over,
});

/** @param {number} columns @param {number} [rows] */
const terminal = (columns, rows = 24) => ({ columns, rows });

/** Legs of 29 servers: the same leg of the recorded run under different names. */
const many = Array.from({ length: 29 }, (_, i) => ({
  ...legs[2],
  ...{ case: `s${String(i).padStart(2, '0')}`, label: `s${String(i).padStart(2, '0')}` },
}));
/** @param {any} leg @param {any} sample */
const withProblems = ({ label }, sample) =>
  label === 's17'
    ? { ...sample, errors: { ...sample.errors, reset: 3 } }
    : label === 's23'
      ? { ...sample, gauges: { ...sample.gauges, unanswered: sample.gauges.open - 16, answered: 16 } }
      : sample;

describe('the screen of a run', () => {
  const { board } = boardOf(legs, 22);
  const single = boardOf(legs.slice(2), 22).board;
  const fleet = boardOf(many, 22, withProblems).board;
  const ramp = screenOf(boardOf(legs, 7).board, { course: { phase: 'ramp', doneNs: 7e9, ofNs: 40e9 } });
  const events = ['0:15 select: no reply for 290 ms', '0:16 worker 1 ended'];
  /** @type {[string, any][]} */
  const screens = [
    ['a ramp of three servers', ramp],
    ['three servers', screenOf(board, { events })],
    ['one server', screenOf(single, { events })],
    ['29 servers, of which two have a problem', screenOf(fleet, { events })],
  ];

  it('is that of test/golden/screen.txt', () => {
    const parts = screens.flatMap(([title, screen]) =>
      [80, 120, 200].map(
        (columns) => `=== ${title}: ${columns} columns\n${screenLines(screen, terminal(columns), plain).join('\n')}\n`,
      ),
    );
    assertGolden('screen.txt', parts.join('\n'));
  });

  it('fits into any terminal, with each name and the failures of each server', () => {
    for (const [title, screen] of screens)
      for (const rows of [5, 10, 24])
        for (let columns = 80; columns <= 200; columns += 11) {
          const lines = screenLines(screen, terminal(columns, rows), styleFor({ isTTY: true }, {}));
          assert.ok(lines.length < rows && lines.length <= 14, `${title}: ${lines.length} lines of ${rows}`);
          for (const line of lines) assert.ok(lengthOf(line) < columns, `${title}: ${lengthOf(line)} of ${columns}`);
          if (rows < 24) continue;
          const text = lines.join('\n');
          assert.match(text, /failed/);
          const named = title.startsWith('29') ? ['s17', 's23'] : screen.servers.map((/** @type {any} */ s) => s.label);
          for (const name of named) assert.ok(text.includes(name), `${title}: ${name} at ${columns}`);
        }
  });

  it('shows of more servers than fit those with a problem, and counts the rest', () => {
    const lines = screenLines(screenOf(fleet), terminal(120), plain);
    const shown = lines.flatMap((line) => /^ +(s\d\d) /.exec(line)?.[1] ?? []);
    assert.ok(shown.includes('s17') && shown.includes('s23') && shown[0] === 's00', shown.join());
    assert.ok(lines.includes(` … ${29 - shown.length} more`), lines.join('\n'));
  });

  it('adds up the failures of a server, and shows what was measured once it has ended', () => {
    const failing = boardOf(legs, 22, (_leg, sample) => ({
      ...sample,
      rejects: { ...sample.rejects, refused: sample.rejects.refused + 2 },
    })).board;
    assert.deepEqual(
      failing.shown().map(({ failures }, i) => failures - board.shown()[i].failures),
      legs.map(() => 44),
    );
    const [leg] = legs;
    const summary = recorded(join(leg.id, 'summary.json'));
    failing.end(leg);
    failing.summarise(summary);
    const [ended, current] = failing.shown();
    assert.deepEqual([ended.isCurrent, current.isCurrent], [false, true]);
    assert.equal(ended.valueOf('rate'), summary.steady.perSecond);
  });

  it('tells once which connections are not served when the measurement begins, and each stall', () => {
    const { said } = boardOf(legs.slice(2), 40, (_leg, sample) => ({
      ...sample,
      ...(sample.fromNs === 20e9 ? { quiet: [20.2e9, 20.6e9] } : {}),
      histograms: { responseTime: null },
      gauges: { ...sample.gauges, unanswered: 984, answered: sample.gauges.open - 984 },
    }));
    assert.equal(said.length, 2, said.join('\n'));
    assert.match(said[0], /^11\.0 epoll: 9,016 of 10,000 connections served, 984 unanswered$/);
    assert.match(said[1], /^20\.2 epoll: no reply for 400 ms$/);
  });

  it('draws each fate by a character of its own, and whatever there is at least once', () => {
    const none = { requested: 100, served: 0, unanswered: 0, idle: 0, connecting: 0, rejected: 0, lost: 0, queued: 0 };
    const account = (/** @type {object} */ some) => ({ ...none, closed: 0, ...some });
    for (const [some, bar] of /** @type {[object, string][]} */ ([
      [{ served: 100 }, '██████████'],
      [{ served: 50, unanswered: 30, connecting: 10, queued: 9, lost: 1 }, '████▒▒▒░░×'],
      [{ served: 1, unanswered: 999 }, '█▒▒▒▒▒▒▒▒▒'],
      [{}, '          '],
    ]))
      assert.equal(fateBar(account(some), 10, plain), bar);
    assert.equal(fateKey([account({ served: 5 })], plain), '');
    assert.equal(fateKey([account({ served: 5 }), account({ rejected: 1 })], plain), '█ served  × rejected or lost');
  });

  it('draws values as heights, and a space where there is none', () => {
    assert.equal(sparkline([0, 1, 4, undefined, 8]), '▁▁▄ █');
    assert.equal(sparkline([4], 8), '▄');
  });

  it('says how far the run is: the phase, the time of all legs, and how long a drain takes at most', () => {
    const run = [35e9, 35e9, 20e9].map((steadyToNs) => /** @type {any} */ ({ steadyToNs }));
    const phases = { rampToNs: 5e9, steadyFromNs: 7e9, steadyToNs: 35e9 };
    for (const [atNs, drainEndsNs, text, done] of /** @type {const} */ ([
      [-1e9, null, 'starting the load', 0],
      [1e9, null, 'ramp', 1],
      [6e9, null, 'warm-up', 6],
      [8e9, null, 'measuring', 8],
      [35e9, 45e9, 'draining, at most 10 s', 35],
      [45.5e9, 45e9, 'draining, at most 1 s', 35], // until the workers have ended
      [8e9, 17.5e9, 'draining, at most 10 s', 8], // interrupted
    ])) {
      const course = runCourse(run, run[1], { phases, atNs, drainEndsNs });
      assert.deepEqual([phaseText(course), course.doneNs / 1e9, course.ofNs / 1e9], [text, 35 + done, 90]);
    }
    const side = [1, 1, 2, 2].map(
      (group, i) => /** @type {any} */ ({ steadyToNs: 35e9, slices: { group, index: i % 2 } }),
    );
    assert.equal(runCourse(side, side[3], { phases, atNs: 1e9, drainEndsNs: null }).ofNs, 70e9);
    const half = /** @type {const} */ ({ phase: 'steady', doneNs: 106e9, ofNs: 212e9 });
    assert.equal(courseBar(half, 25, plain), '━━━━━━────── 1:46 of 3:32');
    assert.equal(courseBar(half, 15, plain), '1:46 of 3:32');
  });
});

/** A terminal that wraps lines at its width, again when it becomes narrower. */
class Terminal extends EventEmitter {
  /** @param {number} columns */
  constructor(columns) {
    super();
    this.isTTY = true;
    this.columns = columns;
    this.rows = 24;
    this.lines = [''];
    /** Of the cursor: line, and place in it. */
    this.at = [0, 0];
  }

  /** @param {string} text */
  write(text) {
    // eslint-disable-next-line no-control-regex
    for (const part of text.match(/\u001b\[\d*[A-Za-z]|[^\u001b]/g) ?? []) this.take(part);
    return true;
  }

  /** @param {string} part a character, or a sequence */
  take(part) {
    const [y, x] = this.at;
    if (part === '\n') {
      this.at = [y + 1, 0];
      this.lines[y + 1] ??= '';
    } else if (part === '\r') this.at = [y, 0];
    else if (part.startsWith('\u001b') && part.endsWith('A')) this.at = [y - Number(part.slice(2, -1)), 0];
    else if (part === '\u001b[K') this.lines[y] = this.lines[y].slice(0, x);
    else if (part === '\u001b[J') this.lines = [...this.lines.slice(0, y), this.lines[y].slice(0, x)];
    else {
      this.lines[y] = this.lines[y].slice(0, x).padEnd(x) + part + this.lines[y].slice(x + 1);
      this.at = [y, x + 1];
    }
    assert.ok(this.at[0] >= 0, 'the cursor stays on the terminal');
  }

  /** @param {number} columns */
  resize(columns) {
    const above = this.lines.slice(0, this.at[0]);
    const broken = above.flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? ['']);
    this.lines = [...broken, ...this.lines.slice(this.at[0])];
    this.at = [broken.length, this.at[1]];
    this.columns = columns;
    this.emit('resize');
  }
}

describe('a screen that is drawn in place', () => {
  /** @param {Terminal} stream @param {string[][]} frames each drawn once */
  function progressOn(stream, frames) {
    const progress = new Progress(/** @type {any} */ (stream), { env: { NO_COLOR: '1' } });
    let at = 0;
    progress.open(() => frames[Math.min(at++, frames.length - 1)]);
    return progress;
  }

  it('stands below what is said, each once, and leaves nothing when the run ends', () => {
    const stream = new Terminal(80);
    const progress = progressOn(stream, [['a', 'b', 'c'], ['A', 'B', 'C'], ['only']]);
    assert.deepEqual(stream.lines, ['a', 'b', 'c', '']);
    progress.note('something happened');
    assert.deepEqual(stream.lines, ['something happened', 'A', 'B', 'C', '']);
    progress.draw();
    assert.deepEqual(stream.lines, ['something happened', 'only', '']);
    progress.aside(() => stream.write('of another stream\n'));
    assert.deepEqual(stream.lines, ['something happened', 'of another stream', 'only', '']);
    progress.close();
    assert.deepEqual(stream.lines, ['something happened', 'of another stream', '']);
    assert.deepEqual(stream.listenerCount('resize'), 0);
  });

  it('is drawn anew where the terminal has become narrower, without remains', () => {
    const stream = new Terminal(80);
    const progress = progressOn(stream, [['x'.repeat(79), 'y'.repeat(30)], ['narrow']]);
    stream.resize(40);
    assert.deepEqual(stream.lines, ['narrow', '']);
    progress.close();
  });

  it('goes when the program crashes, so that the trace stands alone', () => {
    const stream = new Terminal(80);
    const before = process.listenerCount('uncaughtExceptionMonitor');
    const progress = progressOn(stream, [['a', 'b']]);
    process.listeners('uncaughtExceptionMonitor').at(-1)?.(new Error('a defect'), 'uncaughtException');
    assert.deepEqual(stream.lines, ['']);
    progress.close();
    assert.equal(process.listenerCount('uncaughtExceptionMonitor'), before);
  });

  it('is there on a terminal only, unless lines or remarks are asked for', () => {
    const kindOf = (/** @type {any} */ stream, /** @type {any} */ env, /** @type {any} */ kind) =>
      new Progress(Object.assign(new EventEmitter(), stream), { env, kind }).kind;
    const tty = { isTTY: true };
    for (const [stream, env, kind, expected] of /** @type {[object, object, string, string][]} */ ([
      [tty, {}, 'auto', 'screen'],
      [tty, { TERM: 'dumb' }, 'auto', 'lines'],
      [tty, { CI: 'true' }, 'auto', 'lines'],
      [{}, {}, 'auto', 'lines'],
      [tty, {}, 'lines', 'lines'],
      [tty, { CI: 'true' }, 'screen', 'screen'],
      [{}, {}, 'screen', 'none'],
      [tty, {}, 'none', 'none'],
    ]))
      assert.equal(kindOf(stream, env, kind), expected);
  });

  it('says that the report is written once all that is planned has been measured; a search may go on', () => {
    const scenario = /** @type {any} */ ({ protocol: 'echo', workload: 'continuous' });
    const planned = legs.slice(0, 2);
    const saidOf = (/** @type {object} */ more) => {
      const stream = new Terminal(80);
      const plan = /** @type {any} */ ({
        scenario: 's',
        legs: planned,
        cases: planned.map((leg) => leg.case),
        ...more,
      });
      const display = new RunDisplay(/** @type {any} */ (stream), { scenario, plan, only: null, progress: 'screen' });
      display.screen.open();
      const ends = planned.map((leg) => () => display.workersEnd(/** @type {any} */ (leg)));
      const said = [...ends, () => display.reportBegins()].map((happen) => {
        happen();
        display.screen.progress.draw();
        return /starting the servers|writing the report/.exec(stream.lines.join('\n'))?.[0];
      });
      display.end();
      return said;
    };
    const [starting, writing] = ['starting the servers', 'writing the report'];
    assert.deepEqual(saidOf({}), [starting, writing, writing]);
    assert.deepEqual(saidOf({ search: {} }), [starting, starting, writing]);
  });

  it('keeps the last remarks below the servers, and all of them when the run has ended', () => {
    const stream = new Terminal(80);
    const scenario = /** @type {any} */ ({ protocol: 'echo', workload: 'continuous' });
    const plan = /** @type {any} */ ({ scenario: 's', legs: legs.slice(2), cases: ['epoll'] });
    const display = new RunDisplay(/** @type {any} */ (stream), { scenario, plan, only: null, progress: 'screen' });
    display.screen.open();
    for (const text of ['one', 'two', 'three', 'four', 'five']) display.runWarning(text);
    const texts = () => stream.lines.map((line) => /! (\w+)/.exec(line)?.[1] ?? '');
    assert.deepEqual(texts().filter(Boolean), ['one', 'two', 'three', 'four', 'five']);
    assert.ok(
      texts().indexOf('two') < stream.lines.findIndex((line) => line.includes('answered/s')),
      stream.lines.join('\n'),
    );
    display.end();
    assert.deepEqual(texts(), ['one', 'two', 'three', 'four', 'five', '']);
  });
});
