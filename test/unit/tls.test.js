// Key `tls`: its resolved form, mistakes, the content of its files, and what engine and node:tls receive.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { flagsOf } from '../../client/scenario/flags.js';
import { checkMachine, tlsRule } from '../../client/scenario/place-rules.js';
import { loadScenario, resolveScenario } from '../../client/scenario/scenario.js';
import { engineTls, nodeTls } from '../../client/scenario/keys/tls.js';
import { makeAuthority } from '../fixtures/certificates.js';
import { requireTool } from '../skip.js';

/** @import { Identity } from '../fixtures/certificates.js' */

const USUAL = {
  ca: null,
  verify: true,
  serverName: null,
  certificate: null,
  key: null,
  resume: false,
};

/** @param {any} tls @param {any} [more] */
const resolved = (tls, more = { target: 'localhost:4433' }) =>
  resolveScenario({ content: { connections: 1, ...more, ...(tls === undefined ? {} : { tls }) } }).tls;

describe('scenario: tls', () => {
  it('is off, on with the defaults, or an object', () => {
    for (const [tls, expected] of /** @type {[any, object | null][]} */ ([
      [undefined, null],
      [false, null],
      [true, { ...USUAL, serverName: 'localhost' }],
      [
        { verify: false, serverName: 'a.example' },
        { ...USUAL, verify: false, serverName: 'a.example' },
      ],
    ])) {
      assert.deepEqual(resolved(tls), expected);
    }
    assert.deepEqual(resolved({}, { command: 'x {port}' }), USUAL);
  });

  it('is a flag, and has flags of its own', () => {
    const content = { target: '127.0.0.1:1', connections: 1, tls: { verify: false } };
    const of = (/** @type {any} */ argv, /** @type {any} */ file = content) =>
      resolveScenario({ content: file }, flagsOf(argv)).tls;
    assert.equal(of({ tls: true })?.verify, false, 'the object stays');
    assert.equal(of({ tls: false }), null);
    assert.deepEqual(of({ tls: true, 'tls.verify': false, 'tls.resume': true }, { ...content, tls: undefined }), {
      ...USUAL,
      verify: false,
      resume: true,
      serverName: '127.0.0.1',
    });
  });
});

describe('an engine without OpenSSL', () => {
  it('is not a mistake, but cannot use TLS', () => {
    const check = (/** @type {object | null} */ tls, /** @type {string | null} */ tlsVersion) =>
      checkMachine(/** @type {any} */ ({ tls }), /** @type {any} */ ({ tlsVersion }), [tlsRule]);
    check(null, null);
    check(USUAL, 'OpenSSL 3.0');
    assert.throws(() => check(USUAL, null), { exitCode: 3, code: 'ENOTLS' });
  });
});

describe('TLS files', function () {
  /** @type {ReturnType<typeof makeAuthority>} */
  let authority;
  /** @type {Identity} */
  let identity;

  before(function () {
    requireTool(this, 'openssl');
    authority = makeAuthority();
    identity = authority.sign('DNS:here.invalid');
  });
  after(() => authority?.remove());

  /** @param {any} tls a scenario's, in addition to the certificates */
  const load = (tls) => {
    const config = join(authority.folder, 'scenario.json');
    writeFileSync(config, JSON.stringify({ target: '127.0.0.1:1', connections: 1, tls }));
    return loadScenario({ config });
  };

  it('are found next to the scenario, and their content is never stored in it', async () => {
    const files = {
      ca: basename(authority.authority.certFile),
      certificate: basename(identity.certFile),
      key: basename(identity.keyFile),
    };
    const scenario = await load(files);
    const { tls } = scenario;
    assert.deepEqual(
      [tls?.ca, tls?.certificate, tls?.key],
      [authority.authority.certFile, identity.certFile, identity.keyFile],
    );
    assert.doesNotMatch(JSON.stringify(scenario), /BEGIN/);
    const engine = engineTls(/** @type {any} */ (tls), '127.0.0.1');
    const { cert } = authority.authority;
    assert.deepEqual([engine.authorities, engine.certificate, engine.key], [cert, identity.cert, identity.key]);
    assert.deepEqual([engine.serverName, engine.verify], ['127.0.0.1', true]);
  });

  it('are checked before anything starts', async () => {
    const text = join(authority.folder, 'text.pem');
    writeFileSync(text, 'no certificate');
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    writeFileSync(join(authority.folder, 'broken.pem'), broken);
    const other = authority.sign('DNS:other.invalid');
    for (const [tls, key, problem] of /** @type {[any, string, string][]} */ ([
      [{ ca: 'gone.pem' }, 'tls.ca', 'missing'],
      [{ ca: '.' }, 'tls.ca', 'not-a-file'],
      [{ ca: 'text.pem' }, 'tls.ca', 'no-certificate'],
      [{ ca: 'broken.pem' }, 'tls.ca', 'bad-certificate'],
      [{ certificate: identity.certFile, key: other.keyFile }, 'tls.key', 'unusable'],
    ])) {
      await assert.rejects(load(tls), (/** @type {any} */ { exitCode, code, data }) => {
        assert.deepEqual([exitCode, code, data.key, data.problem], [2, 'ETLS', key, problem]);
        return true;
      });
    }
  });

  it("default to the system's certificates, or to none without verification", () => {
    const usual = /** @type {any} */ (USUAL);
    assert.match(engineTls(usual, '127.0.0.1').authorities, /-----BEGIN CERTIFICATE-----/);
    assert.equal(engineTls({ ...usual, verify: false }, '127.0.0.1').authorities, '');
    assert.equal(engineTls({ ...usual, verify: false }, 'unix:/run/x').serverName, '');
    const { servername, rejectUnauthorized } = nodeTls(usual, '127.0.0.1');
    assert.deepEqual([servername, rejectUnauthorized], ['', true], 'an address is never sent');
    assert.equal(nodeTls({ ...usual, serverName: 'here.invalid' }, '127.0.0.1').servername, 'here.invalid');
  });
});
