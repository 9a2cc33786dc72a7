// The credentials of protocol nats: files with a password or a token, found and checked before anything is started.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { prepareProtocol, protocolOf } from '../../client/protocols/index.js';
import { masked } from '../../client/words/secrets.js';
import { loadScenario } from '../../client/scenario/scenario.js';
import { refusalOf } from '../fixtures/codes.js';

const LEG = { payloadBytes: 1, payload: Buffer.from('x'), endpoint: { address: '127.0.0.1', port: 4222 } };

describe('the credentials of protocol nats', () => {
  /** @type {string} */
  let folder;
  beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'broadside-login-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** @param {Record<string, unknown>} nats */
  function load(nats) {
    const config = path.join(folder, 'scenario.json');
    writeFileSync(config, JSON.stringify({ servers: ['nats-server'], connections: 1, protocol: 'nats', nats }));
    return loadScenario({ config });
  }

  for (const [key, text, said] of /** @type {const} */ ([
    ['login', 'ann:secret\n', { user: 'ann', pass: 'secret' }],
    ['login', 'ann:with: "colons"', { user: 'ann', pass: 'with: "colons"' }],
    ['login', 'ann:', { user: 'ann', pass: '' }],
    ['token', 'a:b\r\n', { auth_token: 'a:b' }],
  ])) {
    it(`are read from their file: ${JSON.stringify(text)}`, async () => {
      writeFileSync(path.join(folder, 'secret'), text);
      const scenario = await load({ [key]: 'secret' });
      assert.equal(scenario.protocolOptions[key], path.join(folder, 'secret'));
      const { protocolBytes } = prepareProtocol('nats', scenario.protocolOptions, LEG);
      const [greeting] = Buffer.from(protocolBytes).toString().split('\r\n');
      const { user, pass, auth_token } = JSON.parse(greeting.slice('CONNECT '.length));
      assert.deepEqual(JSON.parse(JSON.stringify({ user, pass, auth_token })), said);
      const shown = masked(greeting, protocolOf('nats').secrets?.(scenario.protocolOptions) ?? [], false);
      const { user: shownUser, pass: shownPass, auth_token: shownToken } = JSON.parse(shown.slice('CONNECT '.length));
      assert.deepEqual([shownUser, shownPass ?? shownToken], [user, '…']);
    });
  }

  for (const [key, text, problem] of /** @type {const} */ ([
    ['login', 'ann', 'content'],
    ['login', ':secret', 'content'],
    ['login', 'a:b\nc:d\n', 'content'],
    ['token', ' \n', 'content'],
    ['token', 'x'.repeat(5000), 'too-large'],
  ])) {
    it(`are rejected: ${JSON.stringify(text.slice(0, 20))}`, async () => {
      writeFileSync(path.join(folder, 'secret'), text);
      assert.deepEqual(await refusalOf(() => load({ [key]: 'secret' })), [`ELOGIN ${problem}`]);
    });
  }

  it('are refused when their file has changed since the scenario was loaded', async () => {
    writeFileSync(path.join(folder, 'secret'), 'ann:secret\n');
    const { protocolOptions } = await load({ login: 'secret' });
    for (const text of ['', 'a:b\nc:d\n', 'ann']) {
      writeFileSync(path.join(folder, 'secret'), text);
      assert.throws(() => prepareProtocol('nats', protocolOptions, LEG), { code: 'ELOGIN' });
    }
  });
});
