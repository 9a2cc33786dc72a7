// The rules of a scenario that its schema cannot state: how they are reported; golden/refusals.txt has each.

import assert from 'node:assert/strict';
import { flagsOf } from '../../client/scenario/flags.js';
import { checkMachine } from '../../client/scenario/place-rules.js';
import { serverProcessRule } from '../../client/scenario/rules/conditions.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { dataOf, refusalOf } from '../fixtures/codes.js';

/** @import { Machine } from '../../client/scenario/place-rules.js' */

const scenario = (/** @type {object} */ keys = {}) => resolveScenario({ content: { servers: ['epoll'], ...keys } });

/** @param {object} content @returns {any[]} */
function mistakesIn(content) {
  try {
    resolveScenario({ content });
  } catch (error) {
    return /** @type {any} */ (error).data.mistakes;
  }
  return [];
}

describe('the rules of a scenario', () => {
  it('are reported together, those of the schema first, and for one key the first that is broken', async () => {
    const keys = { serverPid: 5, workload: 'hold', pause: '5s', tls: { key: 'a' } };
    const others = ['serverPid pid-without-target', 'tls.key certificate-without-key', 'pause key-not-for-workload'];
    assert.deepEqual(await refusalOf(() => scenario({ ...keys, rate: '0/s' })), [...others, 'rate out-of-range']);
    assert.deepEqual(await refusalOf(() => scenario({ ...keys, rate: '5/s' })), [
      ...others,
      'rate key-not-for-workload',
    ]);
  });

  it('that the schema states have the value in their data, and name the flag', () => {
    const target = '127.0.0.1:1';
    const mistakes = mistakesIn({ target, instances: 2, listen: 'unix', wrap: { server: 'a' }, pin: { cores: '1:2' } });
    for (const [code, data] of Object.entries({
      'instances-of-target': { instances: 2 },
      'listen-of-target': { listen: 'unix' },
      'wrap-of-running-server': { value: 'a' },
      'pin-of-running-server': { value: '1:2' },
    }))
      assert.deepEqual(dataOf(mistakes, code), data);
    assert.throws(
      () => resolveScenario({ content: { target } }, flagsOf({ listen: 'ipv6' })),
      (/** @type {any} */ error) => error.data.mistakes[0].text.startsWith('--listen: ipv6 '),
    );
  });

  it('leave the options of the protocol that a URL says to it, also in a sweep', () => {
    const target = 'http://127.0.0.1:1/';
    const scenarioOfRun = resolveScenario({
      content: { target, http: { method: 'POST' }, sweep: { payload: ['1B', '2B'] } },
    });
    assert.deepEqual([scenarioOfRun.protocol, scenarioOfRun.points?.length], ['http', 2]);
  });
});

describe('the rules of a scenario on one machine', () => {
  const machine = {
    ...{ hasProcess: () => true, tlsVersion: 'OpenSSL 3.0', missingProgram: () => null },
    listeningProcesses: () => [[7]],
  };
  it('refuse what it does not have', () => {
    const wrap = { client: 'nice', server: 'mine -x' };
    const missingProgram = (/** @type {string} */ wrapper) => (wrapper === wrap.server ? 'mine' : null);
    const wrapped = { key: 'wrap.server', program: 'mine', wrapper: 'mine -x' };
    const target = { servers: undefined, target: '127.0.0.1:1', serverPid: 5 };
    /** @type {[string, object, Partial<Machine>, object, number][]} */
    const cases = [
      ['EPID', target, { hasProcess: () => false }, { serverPid: 5 }, 2],
      ['ENOTLS', { tls: true }, { tlsVersion: null }, {}, 3],
      ['EWRAP', { wrap }, { missingProgram }, wrapped, 3],
    ];
    for (const [code, keys, lacking, data, exitCode] of cases) {
      checkMachine(scenario(keys), machine);
      assert.throws(() => checkMachine(scenario(keys), { ...machine, ...lacking }), { code, data, exitCode });
      checkMachine(scenario(), { ...machine, ...lacking });
    }
  });

  it('refuse a condition on the process of a target that is not found', () => {
    const check = (/** @type {object} */ keys, /** @type {number[][]} */ ...listening) =>
      checkMachine(scenario(keys), { ...machine, listeningProcesses: () => listening }, [serverProcessRule]);
    const [condition, ports] = ['server CPU < 90%', '127.0.0.1:1-2'];
    const keys = { servers: undefined, target: '127.0.0.1:1', thresholds: ['rejects == 0', condition] };
    const data = { key: 'thresholds[1]', condition, figure: 'server CPU' };
    assert.throws(() => check(keys, []), { code: 'ENOPROCESS', data, exitCode: 2 });
    assert.throws(() => check({ ...keys, target: ports }, [7], []), { code: 'ENOPROCESS' });
    check({ ...keys, target: ports }, [7], [7]);
    check({ ...keys, serverPid: 5 }, []);
    check({ ...keys, thresholds: ['rejects == 0'] }, []);
    check({ thresholds: [condition] }, []);
  });
});
