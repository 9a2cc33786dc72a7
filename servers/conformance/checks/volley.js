// volley only: the word zero, which ends a server started with --volley-stop, and may end a server without a manifest.

import assert from 'node:assert/strict';
import { check, NO_MANIFEST } from '../check.js';
import { words as wordsOf } from '../protocols/volley.js';
import { isAlive } from '../tree.js';
import { endMs, until, within } from '../wait.js';

/** @import { Check, Subject } from '../check.js' */

/**
 * @param {Subject} subject
 * @returns {Check[]}
 */
export function volleyChecks({ protocol, manifest, has, words }) {
  if (protocol.name !== 'volley') return [];
  const zero = check('volley-zero', 'answers the word zero by 1, or ends without a reply', async ({ start, open }) => {
    const connection = await open(await start());
    await connection.exchange();
    connection.shutdown(Buffer.alloc(4));
    const reply = (await connection.readToEnd()).toString('hex');
    assert.ok(['', '00000001'].includes(reply), `the reply to zero is ${reply}`);
  });
  if (manifest && !has('volleyStop')) return [zero];
  const skipped = manifest === null ? NO_MANIFEST : null;
  const counts = has('processes') ? [words('processes', 1), words('processes', 3)] : [[]];
  return [
    ...(manifest === null ? [zero] : []),
    check(
      'volley-stop',
      'with --volley-stop, ends with 0 at a word of zero, after the pending replies',
      async (context) => {
        const { start, open } = context;
        for (const args of counts) {
          const server = await start({ args: [...args, ...words('volleyStop', 'true')] });
          const connection = await open(server);
          await connection.exchange();
          const transfer = wordsOf([7, 0xffffffff]);
          connection.write(Buffer.concat([transfer.request, Buffer.alloc(4)]));
          await connection.reply(transfer);
          assert.equal((await connection.readToEnd()).length, 0, 'bytes beyond the replies: zero is not answered');
          assert.deepEqual(await within(server.exited, 'its end', endMs()), { code: 0, signal: null });
          await until(() => !server.pids.some(isAlive), 'the end of all its processes');
        }
      },
      { skipped },
    ),
  ];
}
