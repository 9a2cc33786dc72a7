// What the conformance checks say of a check that failed.

import assert from 'node:assert/strict';
import { failureText } from '../../servers/conformance/index.js';

describe('the message of a failed check', () => {
  it("abridges what a server wrote, keeps short texts, and has no assertion's internals", () => {
    const traceback = Array.from({ length: 2000 }, (_, i) => `line ${i}`).join('\n');
    const lines = failureText(new Error(`it must be reported once:\n${traceback}`)).split('\n');
    assert.ok(lines.length <= 12, `${lines.length} lines`);
    assert.deepEqual([lines[0], lines.at(-1)], ['it must be reported once:', 'line 1999']);
    assert.equal(failureText(new Error('a\nb')), 'a\nb');
    const internal = new assert.AssertionError({ actual: 2466, expected: 1, operator: 'strictEqual' });
    assert.equal(failureText(internal), 'expected 1, received 2466');
    assert.equal(failureText(new assert.AssertionError({ message: 'mine', actual: 1, expected: 2 })), 'mine');
    const port = Object.assign(new RangeError('options.port should be >= 0'), { code: 'ERR_SOCKET_BAD_PORT' });
    assert.ok(!failureText(port).includes('options.port'));
  });
});
