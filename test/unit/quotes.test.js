// What the server said: the first of each kind and state over engines and seconds, shown in printable ASCII.
import assert from 'node:assert/strict';
import { SampleSum } from '../../client/measure/sample-sum.js';
import { escaped, quotesOf, toShownQuote } from '../../client/measure/quotes.js';
import { quoteText } from '../../client/words/quotes.js';
import { interval, play, samplesOf } from '../fixtures/intervals.js';
import { assertConforms } from '../fixtures/schemas.js';

/** @param {any[][]} workers the intervals of each */
const merged = (...workers) => samplesOf(play(workers.map((intervals) => ({ intervals, diesAfter: null }))).merged);

describe('what the server said', () => {
  it('is shown in printable ASCII, from which the bytes can be told', () => {
    const bytes = String.fromCharCode(...Array(256).keys());
    const text = escaped(bytes);
    assert.match(text, /^[ -~]*$/);
    const values = /** @type {Record<string, string>} */ ({ r: '\r', n: '\n', t: '\t', '\\': '\\' });
    const told = text.replace(/\\(?:x(..)|(.))/g, (_all, hex, escape) =>
      hex === undefined ? values[escape] : String.fromCharCode(parseInt(hex, 16)),
    );
    assert.equal(told, bytes);
  });

  it('has dots where there may be more than was kept', () => {
    const quote = /** @type {const} */ ({ kind: 'protocol', state: 'busy', atNs: 7 });
    assert.deepEqual(toShownQuote({ ...quote, bytes: 'a\r\n' }), { ...quote, text: 'a\\r\\n' });
    assert.equal(toShownQuote({ ...quote, bytes: 'x'.repeat(127) }).text, 'x'.repeat(127));
    assert.equal(toShownQuote({ ...quote, bytes: 'x'.repeat(128) }).text, `${'x'.repeat(128)}...`);
    const longest = toShownQuote({ ...quote, bytes: '\x07'.repeat(128) });
    assertConforms('sample', { ...merged([interval({ last: true })])[0], quotes: [longest] });
  });

  it('is the first of each kind and state, of all engines', () => {
    const at = (/** @type {number} */ atNs, /** @type {string} */ bytes, kind = 'error', state = 'busy') =>
      /** @type {any} */ ({ kind, state, atNs, bytes });
    const first = interval({ quotes: [at(20, 'b'), at(30, 'c', 'closed', 'idle')] });
    const second = interval({ quotes: [at(10, 'a'), at(40, 'd', 'closed', 'busy')] });
    const later = interval({
      second: 2,
      quotes: [at(1.5e9, 'e', 'closed', 'idle'), at(1.6e9, '\xff', 'greeting', 'opening')],
    });
    const samples = merged([first, interval({ second: 2 })], [second, later]);
    for (const sample of samples) assertConforms('sample', JSON.parse(JSON.stringify(sample)));
    const texts = (/** @type {any} */ quotes) => quotes?.map((/** @type {any} */ { text }) => text).join(' ');
    const sum = new SampleSum(samples[0]);
    sum.add(samples[1]);
    const quotes = [...samples.map(({ quotes }) => quotes), quotesOf(samples), sum.result().quotes].map(texts);
    assert.deepEqual(quotes, ['a c d', 'e \\xff', 'a c d \\xff', 'a c d \\xff']);
    assert.equal(quotesOf(merged([interval({})])), undefined);
  });

  it('of a whole reply is its status line and its body, which says why', () => {
    const text = escaped('HTTP/1.1 500 Oops\r\n{"error":\n\t"database is \\r locked"}\n');
    const quoted = quoteText({ kind: '5xx', state: 'busy', atNs: 1, text });
    assert.equal(quoted, '"HTTP/1.1 500 Oops {"error": "database is \\\\r locked"}"');
  });

  it('is shortened to its first line', () => {
    for (const [text, line] of [
      ['-ERR no\\r\\n', '-ERR no'],
      ['HTTP/1.1 421 Misdirected\\r\\nServer: x...', 'HTTP/1.1 421 Misdirected ...'],
      ['a\\\\nb\\rc', 'a\\\\nb\\rc'], // neither a line feed nor a line end
      ['\\r\\nlate', '\\r\\nlate'],
    ])
      assert.equal(quoteText({ kind: 'error', state: 'busy', atNs: 1, text }), `"${line}"`);
  });
});
