// The plan predicts the limits of a server correctly: client/plan and servers/c read the same limits of control groups
// and machine, and come to the same result.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { groupRoom } from '../../client/machine/control-group.js';
import { endOf } from '../fixtures/ended-child.js';
import { requireTool } from '../skip.js';

const sources = ['../fixtures/ceilings.c', '../../servers/c/frame/control_group.c'].map((file) =>
  fileURLToPath(new URL(file, import.meta.url)),
);
/** What the C code says for "no limit", LONG_MAX, as a number of JavaScript. */
const NO_LIMIT = 2 ** 63;

describe('the limits that a server detects', function () {
  this.timeout(60_000);
  /** @type {string} */
  let folder;
  before(async function () {
    requireTool(this, 'cc', 'gcc');
    folder = mkdtempSync(join(tmpdir(), 'broadside-ceilings-'));
    const words = ['-std=c11', '-D_GNU_SOURCE', '-o', join(folder, 'ceilings'), ...sources];
    assert.equal((await endOf('cc', words)).status, 0);
  });
  after(() => rmSync(folder ?? '', { recursive: true, force: true }));

  /** @param {string} root @param {string} groups @returns {Promise<number[]>} */
  const seen = async (root, groups) =>
    (await endOf(join(folder, 'ceilings'), [root, groups])).stdout.trim().split(' ').map(Number);

  /** @type {[string, string, Record<string, string>, number, number][]} */
  const trees = [
    ['none', '0::/\n', {}, Infinity, Infinity],
    [
      'what its own group has left, not what it allows',
      '0::/a/b\n',
      {
        'a/b/pids.max': '4096',
        'a/b/pids.current': '96',
        'a/b/memory.max': '2147483648',
        'a/b/memory.current': '1610612736',
        'a/b/memory.stat': 'anon 1\ninactive_file 1048576\n',
      },
      4000,
      536_870_912 + 1_048_576,
    ],
    [
      'the least of all groups above',
      '0::/a/b\n',
      {
        'a/b/pids.max': 'max',
        'a/b/pids.current': '5',
        'a/pids.max': '100',
        'a/pids.current': '90',
        'pids.max': '1000',
        'pids.current': '100',
        'memory.max': '5000',
        'memory.current': '6000',
      },
      10,
      0,
    ],
    [
      'only the root where its own group is not there',
      '0::/../of/the/host\n',
      {
        'pids.max': '50',
        'pids.current': '20',
      },
      30,
      Infinity,
    ],
    [
      'version 1',
      '9:name=systemd:/\n8:pids:/x\n4:cpu,memory:/y\n2:cpuset,pidsy:/z\n0::/\n',
      {
        'pids/x/pids.max': '70',
        'pids/x/pids.current': '10',
        'pids/pids.max': 'max',
        'memory/y/memory.limit_in_bytes': '9000',
        'memory/y/memory.usage_in_bytes': '4000',
        'memory/memory.limit_in_bytes': '9223372036854771712',
      },
      60,
      5000,
    ],
  ];
  for (const [what, groups, files, tasks, bytes] of trees) {
    it(`of control groups are the same as in the plan: ${what}`, async () => {
      const root = mkdtempSync(join(folder, 'groups-'));
      const list = join(root, 'list');
      writeFileSync(list, groups);
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), `${content}\n`);
      }
      const [pids, memory] = await Promise.all([
        groupRoom('pids', { root, groups: list }),
        groupRoom('memory', { root, groups: list }),
      ]);
      assert.deepEqual([pids.free, memory.free], [tasks, bytes]);
      assert.deepEqual(
        await seen(root, list),
        [tasks, bytes].map((one) => Math.min(one, NO_LIMIT)),
      );
    });
  }
});
