// The credentials of protocol nats: files with a password or a token, found and checked before anything is started.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { prepareProtocol } from '../../client/protocols/index.js';
import { allSecrets } from '../../client/protocols/kept-secrets.js';
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

  it('are read from their file, sent, and masked where they are shown', async () => {
    for (const [key, text, user, secret] of /** @type {const} */ ([
      ['login', 'ann:secret\n', 'ann', 'secret'],
      ['login', 'ann:with: "colons"', 'ann', 'with: "colons"'],
      ['login', 'ann:', 'ann', ''],
      ['token', 'a:b\r\n', undefined, 'a:b'],
    ])) {
      writeFileSync(path.join(folder, 'secret'), text);
      const { protocolOptions } = await load({ [key]: 'secret' });
      const { protocolBytes } = prepareProtocol('nats', protocolOptions, LEG);
      const [greeting] = Buffer.from(protocolBytes).toString().split('\r\n');
      const shown = masked(greeting, allSecrets(), false);
      const of = (/** @type {string} */ words) => JSON.parse(words.slice('CONNECT '.length));
      const name = key === 'token' ? 'auth_token' : 'pass';
      assert.deepEqual([of(greeting).user, of(greeting)[name], of(shown)[name]], [user, secret, '...']);
    }
  });

  it('are rejected where they are none', async () => {
    for (const [key, text, problem] of /** @type {const} */ ([
      ['login', 'ann', 'content'],
      ['login', ':secret', 'content'],
      ['login', 'a:b\nc:d\n', 'content'],
      ['token', ' \n', 'content'],
      ['token', 'x'.repeat(5000), 'too-large'],
    ])) {
      writeFileSync(path.join(folder, 'secret'), text);
      assert.deepEqual(await refusalOf(() => load({ [key]: 'secret' })), [`ELOGIN ${problem}`], text);
    }
  });

  it('are refused when their file has changed since the scenario was loaded', async () => {
    writeFileSync(path.join(folder, 'secret'), 'ann:secret\n');
    const { protocolOptions } = await load({ login: 'secret' });
    for (const text of ['', 'a:b\nc:d\n', 'ann']) {
      writeFileSync(path.join(folder, 'secret'), text);
      assert.throws(() => prepareProtocol('nats', protocolOptions, LEG), { code: 'ELOGIN' });
    }
  });
});
