/**
 * The engine's C core in C tests: plain in npm test, and under AddressSanitizer, UndefinedBehaviorSanitizer and
 * ThreadSanitizer with BROADSIDE_SANITIZE=1.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { header } from '../../client/engine/arrow-template.js';
import { backends } from '../../client/engine/index.js';
import { sctpStacks } from '../../client/transports/sctp/engine.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { requireIPv6 } from '../fixtures/loopback.js';
import { requireTool, skip } from '../hooks.js';
import { prune } from './compile-cache.js';
import { CC, compile, fuzz, programs, hasLiburing, hasOpenssl, hasUsrsctp, runTests, TINY } from './core.js';

/** @typedef {Exclude<import('./core.js').Program, 'codec'>} Program */

/** @type {Program[]} */
const TESTS = /** @type {Program[]} */ (programs.filter((program) => program !== 'codec'));

/** Those that run once for each io backend. @type {Program[]} */
const PER_BACKEND = [
  'transports',
  'endpoints',
  'socketReuse',
  'tls',
  'tlsEnds',
  'transportsLoad',
  'memory',
  'allocations',
  'threads',
  'controlMessagesLive',
  'timestampsLive',
];

const VARIANTS = [
  { name: 'plain', flags: /** @type {string[]} */ ([]), programs: TESTS, sanitizer: false },
  {
    name: 'AddressSanitizer and UndefinedBehaviorSanitizer',
    flags: ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'],
    programs: TESTS.filter((program) => program !== 'memory' && program !== 'allocations'), // the sanitizer has its own
    sanitizer: true,
  },
  {
    name: 'ThreadSanitizer',
    flags: ['-fsanitize=thread'],
    programs: ['transports', 'transferLog', 'threads', 'controlMessagesLive', 'timestampsLive'],
    sanitizer: true,
  },
  {
    name: 'rings that run out',
    flags: TINY,
    programs: ['transports', 'endpoints', 'transportsLoad', 'controlMessagesLive'],
    sanitizer: false,
  },
  {
    name: 'rings that run out, under AddressSanitizer and UndefinedBehaviorSanitizer',
    flags: [...TINY, '-fsanitize=address,undefined', '-fno-sanitize-recover=all'],
    programs: ['transportsLoad'],
    sanitizer: true,
  },
];

/** @param {Program} program @returns {Promise<number>} how many tables of tests it runs here */
async function tablesOf(program) {
  if (program === 'sctp') return ((await hasUsrsctp()) ? 4 : 0) + (sctpStacks().kernel === null ? 2 : 0);
  return PER_BACKEND.includes(program) && (await hasLiburing()) ? 2 : 1;
}

describe('fuzzing of the reply parsers', function () {
  this.timeout(600_000);
  const box = sandbox();

  it.sanitized('finds nothing in ten seconds', async function () {
    requireTool(this, 'clang');
    const { runs } = await fuzz('fuzz_reply.c', box.folder, 10);
    assert.ok(runs > 1000, `${runs} runs`);
  });
});

describe('native core', function () {
  this.timeout(600_000);
  const box = sandbox();
  after(prune);

  for (const { name, flags, programs, sanitizer } of VARIANTS) {
    describe(name, () => {
      for (const program of /** @type {Program[]} */ (programs)) {
        const perBackend = PER_BACKEND.includes(program) ? ' on each io backend' : '';
        const add = sanitizer ? it.sanitized : flags === TINY && program !== 'transports' ? it.slow : it;
        add(`${program}${perBackend}`, async function () {
          requireTool(this, CC, 'gcc');
          if (program === 'endpoints') requireIPv6(this);
          const lacksTls = program.startsWith('tls') && !(await hasOpenssl());
          if (lacksTls) skip(this, 'OpenSSL is not installed (apt-get install libssl-dev)');
          if ((await tablesOf(program)) === 0) skip(this, 'there is no SCTP (apt-get install libusrsctp-dev)');
          const binary = await compile(program, flags);
          const { passed, planned, tables, failures } = await runTests(
            binary,
            program === 'transferLog' ? [box.folder, ''] : [],
          );
          assert.equal(failures, '');
          assert.equal(tables, await tablesOf(program));
          assert.ok(planned > 0);
          assert.equal(passed, planned);
        });
      }
    });
  }

  it('the io_uring backend is among those tested', async function () {
    if (!(await hasLiburing())) skip(this, 'liburing is not installed (apt-get install liburing-dev)');
    const found = backends().find(({ name }) => name === 'io_uring');
    assert.deepEqual(found, { name: 'io_uring', available: true, why: null });
  });

  it('the transfer log is what an Arrow reader expects, row by row', async function () {
    requireTool(this, CC, 'gcc');
    const { folder } = box;
    const binary = await compile('transferLog', []);
    assert.equal((await runTests(binary, [folder, ''])).failures, '');
    const table = tableFromIPC(readFileSync(path.join(folder, 'rows.arrows')));
    const [start, response, connection, status] = ['start', 'response', 'connection', 'status'].map((column) =>
      /** @type {import('apache-arrow').Vector} */ (table.getChild(column)).toArray(),
    );
    assert.deepEqual(
      table.schema.fields.map((field) => `${field.name} ${field.type} ${field.nullable}`),
      ['start Int64 false', 'response Int64 false', 'connection Uint32 false', 'status Uint8 false'],
    );
    assert.equal(start.length, 200_000);
    for (let row = 0; row < start.length; row++) {
      const right =
        start[row] === BigInt(row - 5) &&
        response[row] === BigInt(row * 3) &&
        connection[row] === row &&
        status[row] === row % 7;
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
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', small], { stdio: 'pipe' });
    } catch {
      skip(this, 'a small file system cannot be mounted (root may)');
    }
    try {
      const { passed, planned, failures } = await runTests(await compile('transferLog', []), [folder, small]);
      assert.equal(failures, '');
      assert.equal(passed, planned);
      const bytes = readFileSync(path.join(small, 'full.arrows'));
      const rows = tableFromIPC(bytes).numRows;
      assert.ok(rows > 0 && rows % 4096 === 0, `${rows} rows`);
    } finally {
      execFileSync('umount', [small]);
    }
  });

  it('arrow_template.h is what arrow-template.js makes', () => {
    const file = new URL('../../client/engine/core/metrics/arrow_template.h', import.meta.url);
    assert.equal(readFileSync(file, 'utf8'), header());
  });
});
