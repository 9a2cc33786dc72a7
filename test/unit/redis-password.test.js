// The password of protocol redis: taken out of scenarios, flags and command lines before anything is stored.

import assert from 'node:assert/strict';
import { KEPT_PASSWORD, PASSWORD_VARIABLE } from '../../client/protocols/redis.js';
import { prepareProtocol, protocolOf } from '../../client/protocols/index.js';
import { keptSecrets } from '../../client/protocols/kept-secrets.js';
import { takePassword } from '../../client/scenario/keys/password.js';
import { loadScenario } from '../../client/scenario/scenario.js';
import { withoutSecrets } from '../../client/words/secrets.js';
import { refusalOf } from '../fixtures/codes.js';

const SECRET = 's3cr3t';
const where = (/** @type {string} */ path) => path;
const FLAGS = { servers: ['redis-server'], connections: 1, protocol: 'redis' };

describe('the password of redis', () => {
  afterEach(() => delete keptSecrets[PASSWORD_VARIABLE]);

  it('is taken out of a scenario, its tests and the flags, and kept', () => {
    /** @type {[any, any, string | undefined][]} */
    const rows = [
      [{ redis: { password: SECRET, keys: 1 } }, {}, SECRET],
      [{ tests: [{ as: 'a', redis: { password: SECRET } }, { as: 'b' }] }, {}, SECRET],
      [{ redis: { password: 'other' } }, { 'redis.password': SECRET }, SECRET],
      [{ redis: { keys: 1 } }, {}, undefined],
      [{ redis: { password: 4711 } }, { connections: 1 }, undefined],
      [null, {}, undefined],
    ];
    for (const [content, flags, kept] of rows) {
      /** @type {Record<string, string>} */
      const env = {};
      const taken = takePassword(content, flags, where, env);
      assert.equal(env[PASSWORD_VARIABLE], kept);
      assert.doesNotMatch(JSON.stringify(taken), /s3cr3t|other|4711/);
      assert.equal(JSON.stringify(taken).includes(KEPT_PASSWORD), kept !== undefined);
    }
  });

  it('is in no resolved scenario, wherever it comes from', async () => {
    const given = await loadScenario({ flags: { ...FLAGS, 'redis.password': SECRET } });
    assert.equal(keptSecrets[PASSWORD_VARIABLE], SECRET);
    const fromEnvironment = await loadScenario({ flags: FLAGS });
    for (const scenario of [given, fromEnvironment]) {
      assert.equal(scenario.protocolOptions.password, KEPT_PASSWORD);
      assert.doesNotMatch(JSON.stringify(scenario), /s3cr3t/);
    }
    const other = await loadScenario({ flags: { ...FLAGS, servers: ['epoll'], protocol: 'echo' } });
    assert.equal(other.protocolOptions.password, undefined);
  });

  it('is refused where it says nothing, without its value', async () => {
    const refused = (/** @type {Record<string, any>} */ more) =>
      refusalOf(() => loadScenario({ flags: { ...FLAGS, ...more } }));
    assert.deepEqual(await refused({ 'redis.user': 'ann' }), ['redis.user user-without-password']);
    const tests = ['a', 'b'].map((as) => ({ as, redis: { password: as } }));
    assert.deepEqual(await refusalOf(async () => takePassword({ tests }, {}, where, {})), [
      'redis.password several-passwords',
    ]);
  });

  it('is in no command line that is stored or printed', () => {
    const words = `node cli stress --redis.password ${SECRET} -c 1 --redis.password=${SECRET} --redis.user u`;
    assert.equal(withoutSecrets(words.split(' '), {}).join(' '), 'node cli stress -c 1 --redis.user u');
  });

  it('is sent as AUTH, on connections and before data is written', () => {
    const leg = { payloadBytes: 1, payload: Buffer.from('x'), endpoint: { address: '127.0.0.1', port: 1 } };
    const options = { command: 'GET', keys: 1, elements: 1, prefill: true, password: KEPT_PASSWORD };
    assert.throws(() => prepareProtocol('redis', options, leg), { code: 'EPASSWORD' });
    keptSecrets[PASSWORD_VARIABLE] = SECRET;
    const auth = '*2\r\n$4\r\nAUTH\r\n$6\r\ns3cr3t\r\n';
    const { protocolBytes, protocolParameters } = prepareProtocol('redis', options, leg);
    const at = Number(protocolParameters.helloAt);
    assert.equal(Buffer.from(protocolBytes.subarray(at, at + Number(protocolParameters.helloBytes))).toString(), auth);
    assert.equal(protocolOf('redis').fill?.(options, leg.payload)?.request(0).toString(), auth);
    const { password: _, ...without } = options;
    assert.equal(prepareProtocol('redis', without, leg).protocolParameters.helloBytes, 0);
  });

  it('is asked for where that is what is missing', () => {
    for (const [said, key] of /** @type {[string, string | undefined][]} */ ([
      ['-NOAUTH Authentication required.\r\n', 'redis.password'],
      ['-WRONGPASS invalid username-password pair or user is disabled.\r\n', 'redis.password'],
      ['-ERR AUTH <password> called without any password configured for the default user.', 'redis.password'],
      ["-NOPERM this user has no permissions to run the 'get' command\r\n", 'redis.user'],
      ['-ERR max number of clients reached\r\n', undefined],
    ]))
      assert.equal(protocolOf('redis').denied?.(said, {})?.key, key, said);
  });
});
