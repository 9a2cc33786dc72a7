// Output on a terminal: colours and a progress bar in the last line, never wider than the terminal, and no colours with
// NO_COLOR. script(1) provides the terminal.

import assert from 'node:assert/strict';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { requireTool } from '../skip.js';

/**
 * @param {number} columns @param {string} [redirect]
 * @returns {string[]} the words that run a command on a terminal of its own
 */
function onTerminal(columns, redirect = '') {
  const inside = `stty cols ${columns} rows 24; eval "exec $COMMAND ${redirect}"`;
  return ['/bin/sh', '-c', `export COMMAND="$(printf "'%s' " "$@")"; exec script -qec '${inside}' /dev/null`, 'sh'];
}

const ESC = '\u001b';
const ansi = new RegExp(`${ESC}\\[[0-9;?]*[A-Za-z]`, 'g');
const colour = new RegExp(`${ESC}\\[[0-9;]*m`);
const erase = `${ESC}[2K`;

/** @param {string} text of a terminal @returns {string[]} what stood in a line at a time */
const linesOf = (text) =>
  text
    .split(/\r|\n/)
    .flatMap((line) => line.split(erase))
    .map((line) => line.replace(ansi, ''));

/** @param {string} line @returns {boolean} */
const isBar = (line) => /━|─+ +\d+ %/.test(line);

describe('on a terminal', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });
  it('a run shows a bar that is rewritten in place, in colours, within 80 columns', async function () {
    requireTool(this, 'script', 'bsdutils');
    const run = box.stress({ servers: ['epoll', 'multi-threaded'], duration: '600ms' }, [], { wrap: onTerminal(80) });
    await run.endsWith(0);
    await assertBooks(run);
    assert.match(run.stdout, colour);
    const lines = linesOf(run.stdout);
    const bars = lines.filter(isBar);
    assert.ok(
      bars.some((line) => /^epoll 1\/2 (start|ramp|steady) .* \d+ % +\d+:\d\d left$/.test(line)),
      run.stdout,
    );
    assert.ok(
      bars.some((line) => line.startsWith('multi-threaded 2/2 ')),
      run.stdout,
    );
    const left = run.stdout.split('\n').map((line) => line.slice(line.lastIndexOf(erase) + 1).replace(ansi, ''));
    assert.deepEqual(left.filter(isBar), [], 'each bar is erased before the next line');
    const tooLong = lines.filter((line) => line.length > 80 && !/^(logs|report) /.test(line));
    assert.deepEqual(tooLong, [], 'nothing wraps');
    assert.match(run.stdout, / p99 /);
  });

  it('a run respects NO_COLOR, and still shows the bar', async function () {
    requireTool(this, 'script', 'bsdutils');
    const how = { wrap: onTerminal(120), env: { NO_COLOR: '1' } };
    const run = box.stress({ servers: ['epoll'], duration: '600ms' }, [], how);
    await run.endsWith(0);
    assert.doesNotMatch(run.stdout, colour);
    assert.ok(
      linesOf(run.stdout).some((line) => /^epoll 1\/1 .*━+.* \d+ %/.test(line)),
      run.stdout,
    );
  });
});
