// Output on a terminal: a screen that is drawn in place, never wider than the terminal, of which nothing is left, in
// colours unless NO_COLOR is set. script(1) provides the terminal.

import assert from 'node:assert/strict';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { requireTool } from '../skip.js';

/**
 * @param {number} columns @param {string} [redirect]
 * @returns {string[]} the words that run a command on a terminal of its own
 */
function onTerminal(columns, redirect = '') {
  const inside = `stty cols ${columns} rows 24; unset CI; eval "exec $COMMAND ${redirect}"`;
  return ['/bin/sh', '-c', `export COMMAND="$(printf "'%s' " "$@")"; exec script -qec '${inside}' /dev/null`, 'sh'];
}

const ESC = '\u001b';
const ansi = new RegExp(`${ESC}\\[[0-9;?]*[A-Za-z]`, 'g');
const colour = new RegExp(`${ESC}\\[[0-9;]*m`);
const up = new RegExp(`${ESC}\\[(\\d+)A`);

/** @param {string} text of a terminal @returns {string[]} every line that was ever written */
const linesOf = (text) => text.split(/[\r\n]+/).map((line) => line.replace(ansi, ''));

/** @param {string} text of a terminal @returns {string[]} the lines that are left: those that nothing has erased */
function leftOf(text) {
  /** @type {string[]} */
  const lines = [];
  for (const part of text.split(/\r?\n/)) {
    const moved = up.exec(part);
    if (moved) lines.length -= Number(moved[1]);
    lines.push(part.replace(ansi, '').replaceAll('\r', ''));
  }
  return lines;
}

/** @param {string} line @returns {boolean} whether it is of a screen */
const isOfScreen = (line) => /[━─] \d+:\d\d of \d+:\d\d|Ctrl\+C ends the run now|served of requested/.test(line);

describe('on a terminal', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });
  it('a run shows a screen that is drawn in place, in colours, within 80 columns, and leaves its results', async function () {
    requireTool(this, 'script', 'bsdutils');
    const run = box.stress({ servers: ['epoll', 'multi-threaded'], duration: '1500ms' }, [], { wrap: onTerminal(80) });
    await run.endsWith(0);
    await assertBooks(run);
    assert.match(run.stdout, colour);
    const lines = linesOf(run.stdout);
    assert.ok(lines.some(isOfScreen), run.stdout);
    for (const name of ['epoll', 'multi-threaded'])
      assert.ok(
        lines.some((line) => new RegExp(`^ +▸? *${name} .*█.* all .*0$`).test(line.trimEnd())),
        `${name}: ${run.stdout}`,
      );
    const left = leftOf(run.stdout);
    assert.deepEqual(left.filter(isOfScreen), [], 'nothing of the screen is left');
    const tooLong = lines.filter((line) => line.length > 80 && !/^(logs|report|again) /.test(line));
    assert.deepEqual(tooLong, [], 'nothing wraps');
    assert.ok(left.some((line) => line.startsWith('again ')));
  });

  it('a run respects NO_COLOR, and still shows the screen', async function () {
    requireTool(this, 'script', 'bsdutils');
    const how = { wrap: onTerminal(120), env: { NO_COLOR: '1' } };
    const run = box.stress({ servers: ['epoll'], duration: '1500ms' }, [], how);
    await run.endsWith(0);
    assert.doesNotMatch(run.stdout, colour);
    const lines = linesOf(run.stdout);
    assert.ok(lines.some(isOfScreen), run.stdout);
    assert.ok(
      lines.some((line) => /^ epoll +█+ \d+ of \d+ {2}failed 0$/.test(line)),
      run.stdout,
    );
  });

  it('a run shows lines where they are asked for', async function () {
    requireTool(this, 'script', 'bsdutils');
    const run = box.stress({ servers: ['epoll'], duration: '1500ms' }, ['--progress', 'lines'], {
      wrap: onTerminal(80),
    });
    await run.endsWith(0);
    assert.doesNotMatch(run.stdout, up);
    assert.match(run.stdout.replace(ansi, ''), /^ *0:0\d.* \d/m);
  });
});
