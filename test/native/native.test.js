/**
 * The engine's C core in C tests: plain in npm test, and under AddressSanitizer and UndefinedBehaviorSanitizer with
 * BROADSIDE_SANITIZE=1. ../release/native.test.js has the rest.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { header } from '../../client/engine/arrow-template.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { endOf } from '../fixtures/ended-child.js';
import { requireTool, skip } from '../skip.js';
import { prune } from './compile-cache.js';
import { ADDRESS, CC, compile, runTests } from './core.js';
import { testPrograms } from './programs.js';

/**
 * @import { Vector } from 'apache-arrow'
 * @import { Program } from './core.js'
 */

/** @type {Program[]} */
const PROGRAMS = [
  'fakeClock',
  'transports',
  'endpoints',
  'socketReuse',
  'socketRing',
  'udp',
  'tls',
  'tlsEnds',
  'sctp',
  'threads',
  'transferLog',
];

describe('native core', function () {
  this.timeout(600_000);
  const box = sandbox();
  after(prune);

  testPrograms(PROGRAMS, [], box);

  describe('under AddressSanitizer and UndefinedBehaviorSanitizer', () => {
    testPrograms(PROGRAMS, ADDRESS, box, it.sanitized);
  });

  it('the transfer log is what an Arrow reader expects, row by row', async function () {
    requireTool(this, CC, 'gcc');
    const { folder } = box;
    const binary = await compile('transferLog', []);
    assert.equal((await runTests(binary, [folder, ''])).failures, '');
    const table = tableFromIPC(readFileSync(path.join(folder, 'rows.arrows')));
    const names = ['start', 'response', 'connection', 'status', 'code', 'request'];
    const [start, response, connection, status, code, request] = names.map((column) =>
      /** @type {Vector} */ (table.getChild(column)).toArray(),
    );
    assert.deepEqual(
      table.schema.fields.map((field) => `${field.name} ${field.type} ${field.nullable}`),
      [
        ...['start Int64 false', 'response Int64 false', 'connection Uint32 false', 'status Uint8 false'],
        ...['code Uint16 false', 'request Uint16 false'],
      ],
    );
    assert.equal(start.length, 200_000);
    for (let row = 0; row < start.length; row++) {
      const right =
        start[row] === BigInt(row - 5) &&
        response[row] === BigInt(row * 3) &&
        connection[row] === row &&
        status[row] === row % 7 &&
        code[row] === row % 600 &&
        request[row] === row % 5;
      if (!right) assert.fail(`row ${row}: ${start[row]} ${response[row]} ${connection[row]} ${status[row]}`);
    }
    assert.equal(tableFromIPC(readFileSync(path.join(folder, 'empty.arrows'))).numRows, 0);
    const splits = tableFromIPC(readFileSync(path.join(folder, 'splits.arrows'))).toArray();
    assert.deepEqual(
      splits.map((one) => Object.values(/** @type {any} */ (one).toJSON()).map(Number)),
      Array.from({ length: 20_000 }, (_, i) => [0, 0, 1, 2].map((more) => 10 * i + 7 + more)),
    );
  });

  it('a full disk ends the transfer log at its last whole batch', async function () {
    requireTool(this, CC, 'gcc');
    const { folder } = box;
    const small = path.join(folder, 'small');
    mkdirSync(small);
    const mounted = await endOf('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', small]);
    if (mounted.status !== 0) skip(this, 'a small file system cannot be mounted (root may)');
    try {
      const { passed, planned, failures } = await runTests(await compile('transferLog', []), [folder, small]);
      assert.equal(failures, '');
      assert.equal(passed, planned);
      const bytes = readFileSync(path.join(small, 'full.arrows'));
      const rows = tableFromIPC(bytes).numRows;
      assert.ok(rows > 0 && rows % 4096 === 0, `${rows} rows`);
    } finally {
      await endOf('umount', [small]);
    }
  });

  it('arrow_template.h is what arrow-template.js makes', () => {
    const file = new URL('../../client/engine/core/metrics/arrow_template.h', import.meta.url);
    assert.equal(readFileSync(file, 'utf8'), header());
  });
});
