// The lines of the console at a given width, and that only lines are written to a pipe.
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { runBar } from '../../client/console/bar.js';
import { Progress } from '../../client/console/progress.js';
import { styleFor, wrap } from '../../client/console/terminal-text.js';

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
  it('breaks a message between words, with and without styles', () => {
    assert.deepEqual(wrap('  \u001b[1m01-epoll\u001b[22m  127.0.0.1:80 · ten', 24), [
      '  \u001b[1m01-epoll\u001b[22m  127.0.0.1:80',
      '  · ten',
    ]);
    assert.deepEqual(wrap('averyveryverylongword b', 8), ['averyveryverylongword', 'b']);
    assert.deepEqual([wrap('', 8), wrap('a  b', Infinity)], [[''], ['a  b']]);
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
