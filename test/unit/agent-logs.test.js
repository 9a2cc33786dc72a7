// Transfer logs of agents: what an agent reads for whom, and how a copy comes to be the same file although messages are
// lost. The connection is made up; the files are real.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from '../../client/run/agents/agent.js';
import { decode, encode } from '../../client/run/agents/codec.js';
import { LogFetch, LogRefusal } from '../../client/run/agents/log-fetch.js';
import { LogReader, MAX_PART_BYTES } from '../../client/run/agents/log-reader.js';
import { REFUSED } from '../../client/run/agents/messages.js';
import { subjects } from '../../client/run/agents/subjects.js';
import { engineOfLog } from '../../client/store/transfer-log/index.js';

const RUN = '20260101-120000-a.b';
const which = Object.freeze({ run: RUN, leg: '01-x', share: 2, generation: 1, splits: false });
const sha256 = (/** @type {Uint8Array} */ bytes) => createHash('sha256').update(bytes).digest('hex');

describe('transfer logs of agents', () => {
  /** @type {string} */
  let box;
  /** @type {string} of the agent */
  let logs;
  /** @type {string} that WHICH names */
  let file;
  /** @type {LogReader} */
  let reader;

  beforeEach(() => {
    box = mkdtempSync(join(tmpdir(), 'broadside-logs-'));
    logs = join(box, 'logs');
    const folder = join(logs, '20260101-120000-a_b', '01-x');
    mkdirSync(folder, { recursive: true });
    file = join(folder, 'transfers-2-1.arrows');
    reader = new LogReader('a', logs);
  });
  afterEach(() => rmSync(box, { recursive: true }));

  describe('that an agent keeps', () => {
    it('are read by run, leg and engine: size and hash of the whole, and any part', async () => {
      const content = randomBytes(10_000);
      writeFileSync(file, content);
      assert.deepEqual(await reader.describe(which), { ok: true, bytes: 10_000, sha256: sha256(content) });
      assert.deepEqual(await reader.read(which, 9000, 500), content.subarray(9000, 9500));
      assert.deepEqual(await reader.read(which, 9900, 500), content.subarray(9900));
      writeFileSync(file.replace('transfers', 'timestamps'), 'split');
      const splits = { ...which, splits: true };
      assert.deepEqual(await reader.describe(splits), { ok: true, bytes: 5, sha256: sha256(Buffer.from('split')) });
      writeFileSync(file, 'other');
      assert.deepEqual(await reader.describe(which), { ok: true, bytes: 5, sha256: sha256(Buffer.from('other')) });
    });

    it('are the only files that it reads', async () => {
      const secret = join(box, 'transfers-0.arrows');
      writeFileSync(secret, 'secret');
      const leg = join(logs, '20260101-120000-a_b', '01-x');
      symlinkSync(secret, join(leg, 'transfers-3.arrows'));
      symlinkSync(box, join(logs, 'linked'));
      mkdirSync(join(box, '01-x'));
      writeFileSync(join(box, '01-x', 'transfers-0.arrows'), 'secret');
      mkdirSync(join(leg, 'transfers-4.arrows'));
      /** @type {[Record<string, unknown>, string][]} */
      const table = [
        [{ share: 9 }, 'log-missing'],
        [{ run: 'no-such-run' }, 'log-missing'],
        [{ share: 3, generation: 0 }, 'log-refused'], // a link to a file
        [{ run: 'linked', share: 0, generation: 0 }, 'log-refused'], // a link to a folder
        [{ share: 4, generation: 0 }, 'log-refused'], // a folder
        [{ run: '..', share: 0, generation: 0 }, 'log-refused'],
        [{ run: '../logs' }, 'log-refused'],
        [{ run: '' }, 'log-refused'],
        [{ run: '/etc' }, 'log-refused'],
        [{ leg: '.' }, 'log-refused'],
        [{ leg: '01-x/../01-x' }, 'log-refused'],
        [{ leg: '01-x\0' }, 'log-refused'],
        [{ share: -1 }, 'log-refused'],
        [{ share: '2-1.arrows/../../x' }, 'log-refused'],
        [{ generation: 1.5 }, 'log-refused'],
        [{ splits: 'yes' }, 'log-refused'],
      ];
      for (const [over, code] of table) {
        const asked = /** @type {any} */ ({ ...which, ...over });
        for (const answer of [await reader.describe(asked), await reader.read(asked, 0, 100)]) {
          assert.equal(/** @type {any} */ (answer).code, code, JSON.stringify(over));
        }
      }
      writeFileSync(file, 'here');
      for (const [from, bytes] of [
        [-1, 10],
        [0, -1],
        [0.5, 10],
        [0, MAX_PART_BYTES + 1],
        [0, Infinity],
      ]) {
        const { code } = /** @type {any} */ (await reader.read(which, from, bytes));
        assert.equal(code, 'log-refused', `${from} ${bytes}`);
      }
    });

    it('are not sent while it works for a run', async () => {
      writeFileSync(file, 'here');
      const agent = new Agent(/** @type {any} */ (null), /** @type {any} */ ({ name: 'a', logs }));
      /** @type {[any, string | undefined][]} */
      const answers = [];
      const message = /** @type {any} */ ({
        respond: (/** @type {Uint8Array} */ data, /** @type {any} */ { headers } = {}) =>
          answers.push([headers ? decode(data) : Buffer.from(data).toString(), headers?.get(REFUSED)]),
      });
      const part = { ...which, type: /** @type {const} */ ('log-part'), from: 0, bytes: 4 };
      await agent.answerLog(part, message);
      agent.session = /** @type {any} */ ({ run: 'r1' });
      await agent.answerLog(part, message);
      const [[free], [busy, code]] = answers;
      assert.deepEqual([free, busy.code, busy.data.run, code], ['here', 'agent-busy', 'r1', 'agent-busy']);
    });

    it('are named after the engine that wrote them', () => {
      assert.deepEqual(engineOfLog('/x/transfers-12.arrows'), { share: 12, generation: 0 });
      assert.deepEqual(engineOfLog('transfers-3-2.arrows'), { share: 3, generation: 2 });
      assert.deepEqual(engineOfLog('passwd'), { share: NaN, generation: 0 });
    });
  });

  describe('as copies', () => {
    /**
     * A connection to one agent.
     * @param {{ loses?: (request: any, tries: number) => boolean, spoils?: (part: Uint8Array) => Uint8Array,
     *   maxPayload?: number }} [how] loses: whether this request, the tries-th, gets no answer
     */
    function connection({ loses = () => false, spoils = (part) => part, maxPayload = 8192 } = {}) {
      const state = { tries: 0, inFlight: 0, mostInFlight: 0, asked: /** @type {any[]} */ ([]), largest: 0 };
      const nc = {
        maxBytes: maxPayload,
        state,
        /** @param {string} subject @param {Uint8Array} data */
        async request(subject, data) {
          assert.equal(subject, subjects.agent('a'));
          const request = decode(data);
          state.tries += 1;
          if (loses(request, state.tries)) throw new Error('timeout');
          state.asked.push(request);
          state.inFlight += 1;
          state.mostInFlight = Math.max(state.mostInFlight, state.inFlight);
          for (let turn = 0; turn < state.tries % 5; turn += 1) await new Promise(setImmediate); // not in the order of the requests
          state.inFlight -= 1;
          const { type, from, bytes } = request;
          const answer = type === 'log' ? await reader.describe(request) : await reader.read(request, from, bytes);
          if (answer instanceof Uint8Array) {
            state.largest = Math.max(state.largest, answer.length);
            return { data: spoils(answer) };
          }
          return { data: encode(answer), headers: new Map(answer.ok ? [] : [[REFUSED, answer.code]]) };
        },
      };
      return nc;
    }
    const impatient = { firstPatienceMs: 0, patienceMs: 0, retryMs: 0 };

    /** @param {ReturnType<typeof connection>} nc @returns {Promise<LogFetch>} that made the copy */
    async function copy(nc) {
      const fetch = new LogFetch(nc, { retryMs: 0 });
      await fetch.copy('a', which, await fetch.describe('a', which), join(box, 'copy'));
      assert.deepEqual(readFileSync(join(box, 'copy')), readFileSync(file));
      assert.equal(existsSync(join(box, 'copy.partial')), false);
      return fetch;
    }

    it('are the same file, with few parts under way and none larger than a message', async () => {
      writeFileSync(file, randomBytes(100_001));
      const nc = connection();
      assert.equal((await copy(nc)).repeated, 0);
      assert.ok(nc.state.largest <= 8192 - 4096, String(nc.state.largest));
      assert.ok(nc.state.mostInFlight > 1 && nc.state.mostInFlight <= 8, String(nc.state.mostInFlight));
      writeFileSync(file, '');
      await copy(connection());
    });

    it('need no more than that each part comes once, however often one is lost', async () => {
      writeFileSync(file, randomBytes(60_000));
      assert.ok((await copy(connection({ loses: (_, tries) => tries % 3 !== 0 }))).repeated > 10);
    });

    it('resume an interrupted one of the same file, and begin again for any other', async () => {
      writeFileSync(file, randomBytes(60_000));
      const target = join(box, 'copy');
      let isAway = false;
      const first = new LogFetch(connection({ loses: ({ from = 0 }) => (isAway ||= from >= 30_000) }), impatient);
      const state = await first.describe('a', which);
      await assert.rejects(first.copy('a', which, state, target), (/** @type {any} */ error) => {
        assert.ok(error instanceof LogRefusal);
        assert.deepEqual([error.reason, error.data.agent, error.exitCode], ['agent-silent', 'a', 3]);
        return true;
      });
      const there = readFileSync(`${target}.partial`).length;
      assert.ok(there > 0 && there < 60_000, String(there));
      const next = connection();
      await copy(next);
      assert.equal(Math.min(...next.state.asked.flatMap(({ from = [] }) => from)), there);
      for (const bytes of [1000, 70_000]) {
        writeFileSync(`${target}.partial`, randomBytes(bytes));
        await copy(connection());
      }
    });

    it('get no name if they have another hash', async () => {
      writeFileSync(file, randomBytes(60_000));
      for (const spoils of [
        (/** @type {Uint8Array} */ part) => Uint8Array.from(part, (byte) => byte ^ 1),
        (/** @type {Uint8Array} */ part) => part.subarray(1),
        () => new Uint8Array(0),
      ]) {
        await assert.rejects(copy(connection({ spoils })), { code: 'EAGENTLOG' });
        assert.deepEqual([existsSync(join(box, 'copy')), existsSync(join(box, 'copy.partial'))], [false, false]);
      }
    });

    it('are not begun of a file that no such log can be', async () => {
      const right = { ok: true, bytes: 1000, sha256: 'a'.repeat(64) };
      const answers = [
        ...[{ bytes: 1e15 }, { bytes: 2000 }, { bytes: -1 }, { bytes: '1' }, { sha256: '../x' }],
        ...[null, 'x'],
      ];
      const describeBy = (/** @type {any} */ answer, /** @type {object} */ more = {}) => {
        const nc = { ...connection(), request: async () => ({ data: encode(answer), ...more }) };
        return new LogFetch(nc, impatient).describe('a', which, 1500);
      };
      for (const answer of answers) {
        const whole = typeof answer === 'object' && answer !== null ? { ...right, ...answer } : answer;
        await assert.rejects(describeBy(whole), { code: 'EAGENTLOG' });
      }
      assert.deepEqual(await describeBy(right), right);
      await assert.rejects(describeBy([], { headers: new Map([[REFUSED, 'x']]) }), { code: 'EAGENTLOG' });
    });

    it('are refused by an agent that has no such file, and not asked for again', async () => {
      const nc = connection();
      const fetch = new LogFetch(nc);
      await assert.rejects(fetch.describe('a', which), (/** @type {any} */ { code, reason, data, exitCode }) => {
        assert.deepEqual([code, reason, data.agent, exitCode], ['EAGENTLOG', 'log-missing', 'a', 3]);
        return true;
      });
      assert.equal(nc.state.tries, 1);
    });
  });
});
