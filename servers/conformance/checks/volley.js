// volley alone: the word of zero that ends a server which was told so.

import assert from 'node:assert/strict';
import { check } from '../check.js';
import { words as wordsOf } from '../protocols/volley.js';
import { lives } from '../tree.js';
import { endMs, until, within } from '../wait.js';

/**
 * @param {import('../check.js').About} about
 * @returns {import('../check.js').Check[]}
 */
export function volleyChecks({ protocol, manifest, has, words }) {
  if (protocol.name !== 'volley' || (manifest && !has('volleyStop'))) return [];
  const needs = manifest === null && 'it has no manifest that says how it is told to stop at zero';
  const counts = has('processes') ? [words('processes', 1), words('processes', 3)] : [[]];
  return [
    check(
      'ends at a word of zero with 0, if it was told so, after the replies that it owes',
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
          await until(() => !server.pids.some(lives), 'the end of all its processes');
        }
      },
      { needs },
    ),
  ];
}
