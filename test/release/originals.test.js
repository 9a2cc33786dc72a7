// The programs that measured servers before, for real: those of Debian's packages against our servers, and beside our
// client against the same server, whose own counts must equal what each of the two says.

import assert from 'node:assert/strict';
import { discover, startServer } from '../../servers/launcher/index.js';
import { runToEnd } from '../contract/server-process.js';
import { requireServer } from '../contract/representatives.js';
import { ask } from '../fixtures/ask.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { requireTool } from '../skip.js';

/** @import { StartOptions } from '../../servers/launcher/start/start.js' */

const PAGE_BYTES = 42;

/** @param {string} text @param {RegExp} pattern with one group @returns {number} 0 where it is not there */
const numberIn = (text, pattern) => Number(pattern.exec(text)?.[1] ?? 0);

/** @param {string} text that ab has written */
const abCounts = (text) => ({
  complete: numberIn(text, /^Complete requests:\s+(\d+)/m),
  failed: numberIn(text, /^Failed requests:\s+(\d+)/m),
  other: numberIn(text, /^Non-2xx responses:\s+(\d+)/m),
  keptAlive: numberIn(text, /^Keep-Alive requests:\s+(\d+)/m),
  bytes: numberIn(text, /^HTML transferred:\s+(\d+)/m),
});

/**
 * @param {string[]} command of a program that must succeed
 * @returns {Promise<string>} its stdout
 */
async function outputOf(command) {
  const { code, stdout, stderr } = await runToEnd(command);
  assert.equal(code, 0, `${command.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

/**
 * @template Result
 * @param {StartOptions} options
 * @param {(port: number) => Promise<Result>} use
 * @returns {Promise<Result>}
 */
async function withServer(options, use) {
  const server = await startServer(options);
  try {
    return await use(server.port);
  } finally {
    await server.stop();
  }
}

const found = await discover();
const httpServers = found.filter(({ language, protocols }) => language !== 'program' && protocols.includes('http'));

describe('the clients of other tools, against our servers', function () {
  this.timeout(120_000);

  for (const server of httpServers) {
    const { name, concurrent } = server;
    const held = concurrent === 1 ? '1' : '10'; // the others would wait until ab gives up
    it(`ab gets every page of ${name}`, async function () {
      requireServer(this, server);
      requireTool(this, 'ab', 'apache2-utils');
      await withServer({ name, protocol: 'http' }, async (port) => {
        const url = `http://127.0.0.1:${port}/`;
        for (const [count, keptAlive, words, pageBytes = PAGE_BYTES] of /** @type {const} */ ([
          [300, 0, ['-c', '20']],
          [300, 300, ['-k', '-c', held]],
          [300, 0, ['-r', '-c', '100']],
          [300, 300, ['-i', '-k', '-c', held], 0], // HEAD
          [300, 0, ['-p', 'package.json', '-T', 'text/plain', '-c', '20']],
        ])) {
          const said = abCounts(await outputOf(['ab', '-q', '-n', String(count), ...words, url]));
          const expected = { complete: count, failed: 0, other: 0, keptAlive, bytes: count * pageBytes };
          assert.deepEqual(said, expected, words.join(' '));
        }
      });
    });
  }

  for (const [name, words] of /** @type {const} */ ([
    ['epoll', []],
    ['multi-threaded', ['-H', 'Connection: close']],
    ['node', []],
  ])) {
    it(`wrk gets pages of ${name}${words.length === 0 ? '' : `, ${words[1]}`}`, async function () {
      requireTool(this, 'wrk');
      await withServer({ name, protocol: 'http' }, async (port) => {
        const text = await outputOf(['wrk', '-t1', '-c20', '-d1s', ...words, `http://127.0.0.1:${port}/`]);
        assert.ok(numberIn(text, /^\s+(\d+) requests in /m) > 0, text);
        assert.doesNotMatch(text, /Socket errors|Non-2xx/);
      });
    });
  }
});

describe('the clients of other tools, beside ours', function () {
  this.timeout(120_000);
  const box = sandbox();
  const COUNT = 2000;
  const CONNECTIONS = 20;
  /** The check before a leg makes one transfer. */
  const CHECKED = 1;

  /** @param {Record<string, unknown>} scenario @returns {Promise<any>} the leg; its books balance */
  async function measured(scenario) {
    const run = box.stress({ connections: CONNECTIONS, pause: '0s', transfers: COUNT, duration: '60s', ...scenario });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run, { planned: true });
    const { count, failed } = leg.transfers;
    assert.deepEqual([count, failed, leg.errors.total, leg.rejects.total], [COUNT, 0, 0, 0]);
    return leg;
  }

  it('redis-server counts as many commands of redis-benchmark as of our client', async function () {
    requireTool(this, 'redis-server');
    requireTool(this, 'redis-benchmark', 'redis-tools');
    await withServer({ name: 'redis-server', protocol: 'redis' }, async (port) => {
      const calls = async () => {
        const text = await ask(port, 'INFO commandstats\r\n', /\r\n\r\n$/);
        const counts = Object.fromEntries(
          ['set', 'get'].map((name) => [name, numberIn(text, new RegExp(`cmdstat_${name}:calls=(\\d+)`))]),
        );
        await ask(port, 'CONFIG RESETSTAT\r\n', /^\+OK\r\n$/);
        return counts;
      };
      const numbers = ['-n', COUNT, '-c', CONNECTIONS, '-P', 4, '-d', 3].map(String);
      await outputOf(['redis-benchmark', '-p', String(port), '-t', 'set,get', ...numbers, '--csv']);
      assert.deepEqual(await calls(), { set: COUNT, get: COUNT });

      const scenario = { protocol: 'redis', target: `127.0.0.1:${port}`, pipeline: 4, payload: '3B' };
      const leg = await measured({ ...scenario, redis: { command: 'SET' } });
      assert.deepEqual(
        [leg.statuses, await calls()],
        [
          { total: COUNT, ok: COUNT },
          { set: COUNT + CHECKED, get: 0 },
        ],
      );
      const KEYS = 100;
      await measured({ ...scenario, redis: { command: 'GET', keys: KEYS } });
      assert.deepEqual(await calls(), { set: KEYS, get: COUNT + CHECKED });
    });
  });

  it('memcached counts as many commands of memcaslap as of our client', async function () {
    requireTool(this, 'memcached');
    requireTool(this, 'memcaslap', 'libmemcached-tools');
    await withServer({ name: 'memcached', protocol: 'memcached' }, async (port) => {
      const counts = async () => {
        const text = await ask(port, 'stats\r\n', /END\r\n$/);
        const [gets, sets, misses] = ['cmd_get', 'cmd_set', 'get_misses'].map((name) =>
          numberIn(text, new RegExp(`^STAT ${name} (\\d+)`, 'm')),
        );
        await ask(port, 'stats reset\r\n', /^RESET\r\n$/);
        return { gets, sets, misses };
      };
      const numbers = ['-T', 1, '-c', CONNECTIONS, '-x', COUNT, '-w', '1k'].map(String);
      const text = await outputOf(['memcaslap', '-s', `127.0.0.1:${port}`, ...numbers]);
      const [gets, sets, ops] = [/^cmd_get: (\d+)/m, /^cmd_set: (\d+)/m, / Ops: (\d+)/].map((pattern) =>
        numberIn(text, pattern),
      );
      assert.deepEqual([ops, gets + sets], [COUNT, COUNT], text);
      assert.deepEqual(await counts(), { gets, sets, misses: 0 });

      const KEYS = 100;
      const memcached = { ratio: '9:1', keys: KEYS };
      await measured({ protocol: 'memcached', target: `127.0.0.1:${port}`, payload: '64B', memcached });
      const ours = await counts();
      // the keys are stored after the check
      assert.deepEqual([ours.gets + ours.sets, ours.misses], [COUNT + KEYS + CHECKED, CHECKED]);
      assert.ok(ours.gets > COUNT / 2, JSON.stringify(ours));
    });
  });
});
