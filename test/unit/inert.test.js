// Texts from outside on the console and in the log of a job: their control characters and commands are visible, and
// have no effect.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { print, shownText } from '../../client/console/print.js';
import { styleFor } from '../../client/console/terminal-text.js';
import { inert } from '../../client/words/inert.js';

const SEED = 48;
/** Texts on which a terminal or the log of a job acts, and parts of them. */
const PIECES = [
  '\x1b',
  ']0;x\x07',
  '[31m',
  '[39m',
  '::',
  ':',
  'error',
  '##',
  '[',
  ']',
  ' ',
  '\t',
  '\r',
  '\n',
  '\u009b',
  '\u202e',
  'é',
];
const texts = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string()), { maxLength: 20 })
  .map((parts) => parts.join(''));
// eslint-disable-next-line no-control-regex
const ACTS_ON_TERMINAL = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/;
/** As the runner of GitHub reads a line. @param {string} line */
const isCommand = (line) =>
  /^::[a-z]+( .*)?::/i.test(line.trimStart()) || /##\[\w+/.test(line) || line.includes('##vso[');

describe('a text of others', () => {
  it('is seen as it is, but for what a terminal or the log of a job acts upon', () => {
    for (const [text, seen] of [
      ['\x1b]0;x\x07', '\\x1b]0;x\\x07'],
      ['::error::x', '\\x3a:error::x'],
      ['a\n \u00a0::add-mask::x\n', 'a\n \u00a0\\x3a:add-mask::x\n'],
      ['50 %\r::stop-commands::x', '50 %\\r::stop-commands::x'],
      ['a ##[error]x ##vso[task.x]', 'a #\\u0023[error]x #\\u0023vso[task.x]'],
      ['\u009b31m \u202ebad', '\\u009b31m \\u202ebad'],
      ['::1 and ::ffff:127.0.0.1\n[::1]:80\n\ta::b::c', '::1 and ::ffff:127.0.0.1\n[::1]:80\n\ta::b::c'],
    ]) {
      assert.equal(inert(text), seen);
      assert.equal(inert(seen), seen);
    }
  });

  it('acts on nothing, whatever it is', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = shownText(text);
        assert.doesNotMatch(shown, ACTS_ON_TERMINAL);
        assert.deepEqual(shown.split('\n').filter(isCommand), []);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it('is the same in JSON', () => {
    fc.assert(
      fc.property(texts, (text) => assert.equal(JSON.parse(inert(JSON.stringify({ text }, null, 2))).text, text)),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it('cannot begin a style that does not end, nor end one of ours; ours are kept', () => {
    const style = styleFor({ isTTY: true }, {});
    const styled = `${style(['bold', 'red'], `a ${style('dim', 'b')}`)} c`;
    assert.equal(shownText(styled, true), styled);
    assert.equal(shownText(style('red', 'a\x1b[31mb\x1b[8m'), true), `\\x1b[31ma${style('red', 'b\\x1b[8m')}`);
    assert.equal(shownText('a\x1b[39m\x1b[22m', true), 'a\\x1b[39m\\x1b[22m');
    assert.equal(shownText(style('red', '\x1b]0;x\x07'), true), style('red', '\\x1b]0;x\\x07'));
    fc.assert(
      fc.property(texts, (text) => {
        const codes = shownText(text, true).match(/\x1b\[\d+m/g) ?? []; // eslint-disable-line no-control-regex
        assert.equal(shownText(text, true).split('\x1b').length, codes.length + 1);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('is printed in whole lines', () => {
    const stream = new PassThrough();
    for (const text of ['a', 'b\n', '\x07']) print(text, /** @type {any} */ (stream));
    assert.equal(String(stream.read()), 'a\nb\n\\x07\n');
  });
});
