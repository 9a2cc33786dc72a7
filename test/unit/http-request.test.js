// The request of http as users give it: headers, method and body as flags and keys, and the secrets among the headers.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { prepareProtocol } from '../../client/protocols/index.js';
import { http, httpRequests } from '../../client/protocols/http.js';
import { keptSecrets } from '../../client/protocols/kept-secrets.js';
import { flagsOf } from '../../client/scenario/flags.js';
import { headersOver, takeHeaderSecrets } from '../../client/scenario/keys/headers.js';
import { loadScenario } from '../../client/scenario/scenario.js';
import { refusalOf } from '../fixtures/codes.js';

/**
 * @import { HttpOptions } from '../../client/protocols/http.js'
 * @import { Raw } from '../../client/scenario/merge.js'
 * @import { Scenario } from '../../client/scenario/scenario.js'
 */

const SECRET = 's3cr3t';
const FLAGS = { target: '127.0.0.1:1', connections: 1 };
const LEG = { payloadBytes: 0, payload: Buffer.alloc(0), endpoint: { address: '127.0.0.1', port: 1 } };

/** @param {Record<string, any>} argv @returns {Promise<Scenario>} */
const load = async (argv) => loadScenario({ flags: { ...FLAGS, ...flagsOf(argv) } });

/** Of a list of one request, before its text: eleven numbers. */
const NUMBERS_BYTES = 88;

/** @param {any} scenario @returns {string} */
const sent = ({ protocol, protocolOptions }) =>
  Buffer.from(prepareProtocol(protocol, protocolOptions, LEG).protocolBytes.subarray(NUMBERS_BYTES)).toString();

/** Removes the secrets that a test has made. */
function forget() {
  for (const name of Object.keys(keptSecrets)) delete keptSecrets[name];
}

describe('the request of http', () => {
  /** @type {string} */
  let folder;
  beforeEach(async () => void (folder = await mkdtemp(path.join(os.tmpdir(), 'broadside-'))));
  afterEach(() => rm(folder, { recursive: true }));
  afterEach(forget);

  it('has the headers of -H, repeated in the order given, and Host as a key of its own', async () => {
    const given = ['X-A: 1', 'Host:  shop.example ', 'x-a:2', 'X-Url: http://a:1/', 'X-Empty:'];
    const flags = flagsOf({ 'http.headers': given });
    assert.deepEqual(flags, {
      'http.headers': { 'X-A': ['1', '2'], 'X-Url': 'http://a:1/', 'X-Empty': '' },
      'http.host': 'shop.example',
    });
    const scenario = await load({ 'http.headers': given });
    assert.equal(
      sent(scenario),
      'GET / HTTP/1.1\r\nHost: shop.example\r\nX-A: 1\r\nX-A: 2\r\nX-Url: http://a:1/\r\nX-Empty: \r\n\r\n',
    );
    const many = Array.from({ length: 1000 }, (_, i) => `X-${i}: ${i}`);
    assert.equal(sent(await load({ 'http.headers': many })).split('\r\n').length, 1000 + 4);
  });

  it('lays headers of flags over those of a file, whatever their case', () => {
    assert.deepEqual(headersOver({ Accept: 'a', 'X-B': 'b' }, { accept: ['c', 'd'] }), {
      'X-B': 'b',
      accept: ['c', 'd'],
    });
    assert.deepEqual(headersOver(undefined, { A: 'b' }), { A: 'b' });
  });

  it('is GET, or POST with a body, which is a text or a file', async () => {
    const file = path.join(folder, 'body.bin');
    assert.match(sent(await load({ 'http.path': '/' })), /^GET /);
    const text = await load({ 'http.body': '{"a": "\u00fc"}' });
    assert.deepEqual([text.protocol, text.protocolOptions.method, text.payloadBytes], ['http', 'POST', 11]);
    assert.match(sent(text), /Content-Length: 11\r\n\r\n\{"a": "\u00fc"\}$/);
    await writeFile(file, Buffer.from([0, 255, 13, 10]));
    const bytes = await load({ 'http.body': `@${file}`, 'http.method': 'PURGE' });
    assert.deepEqual([bytes.protocolOptions.content, bytes.payloadBytes], ['AP8NCg==', 4]);
    await writeFile(file, '');
    assert.match(sent(await load({ 'http.body': `@${file}` })), /^POST [^]*Content-Length: 0\r\n\r\n$/);
    await writeFile(path.join(folder, 'run.json'), '{"protocol": "http", "http": {"body": "@body.bin"}}');
    const inFile = await loadScenario({ config: path.join(folder, 'run.json'), flags: FLAGS });
    assert.equal(inFile.protocolOptions.content, '');
    await writeFile(file, Buffer.alloc(2 ** 20 + 1));
    assert.deepEqual(await refusalOf(() => load({ 'http.body': `@${file}` })), ['EREQUESTFILE too-large']);
  });

  it('is one of a list, with files as bodies, and secrets that are stored nowhere', async () => {
    const requests = [
      { name: 'cart', headers: { authorization: SECRET }, body: '@body.json' },
      { method: 'DELETE', path: '/cart/{sequence}' },
    ];
    const http = { headers: { Authorization: `Bearer ${SECRET}`, Accept: 'a' }, requests };
    await writeFile(path.join(folder, 'body.json'), '{"a": "{uuid}"}');
    await writeFile(path.join(folder, 'run.json'), JSON.stringify({ protocol: 'http', http }));
    const scenario = await loadScenario({ config: path.join(folder, 'run.json'), flags: FLAGS });
    assert.doesNotMatch(JSON.stringify(scenario), /s3cr3t/);
    assert.equal(scenario.payloadBytes, 0);
    assert.deepEqual(
      httpRequests(/** @type {HttpOptions} */ (scenario.protocolOptions)).map(({ name, method, body }) => [
        name,
        method,
        body?.toString() ?? null,
      ]),
      [
        ['cart', 'POST', '{"a": "{uuid}"}'],
        ['DELETE /cart/{sequence}', 'DELETE', null],
      ],
    );
    const { protocolBytes } = prepareProtocol('http', scenario.protocolOptions, LEG);
    const bytes = Buffer.from(protocolBytes).toString('latin1');
    const head = 'HTTP/1.1\r\nHost: 127.0.0.1:1\r\n';
    assert.ok(bytes.includes(`POST / ${head}Accept: a\r\nauthorization: s3cr3t\r\nContent-Length: `));
    assert.ok(bytes.includes(`DELETE /cart/ ${head}Authorization: Bearer s3cr3t\r\nAccept: a`));
  });

  it('says the protocol where nothing else does', async () => {
    assert.equal((await load({ 'http.method': 'PUT' })).protocol, 'http');
  });
});

describe('secrets in headers', () => {
  afterEach(forget);

  it('are taken out of a scenario, its tests and the flags, and kept', () => {
    /** @type {Record<string, string>} */
    const env = {};
    const content = {
      http: { headers: { AUTHORIZATION: `a ${SECRET}`, Accept: 'b' } },
      tests: [{ as: 'c', http: { headers: { Authorization: `d ${SECRET}`, Cookie: [`e=${SECRET}`, `f=${SECRET}`] } } }],
    };
    const taken = takeHeaderSecrets(content, { 'http.headers': { 'X-Api-Key': SECRET, 'X-Id': '7' } }, env);
    const { http, tests } = /** @type {Raw} */ (taken.content);
    assert.deepEqual(http.headers, { AUTHORIZATION: '$BROADSIDE_HTTP_AUTHORIZATION', Accept: 'b' });
    assert.deepEqual(tests[0].http.headers, {
      Authorization: '$BROADSIDE_HTTP_AUTHORIZATION_2',
      Cookie: ['$BROADSIDE_HTTP_COOKIE', '$BROADSIDE_HTTP_COOKIE_2'],
    });
    assert.deepEqual(taken.flags, { 'http.headers': { 'X-Api-Key': '$BROADSIDE_HTTP_X_API_KEY', 'X-Id': '7' } });
    assert.deepEqual(env, {
      BROADSIDE_HTTP_AUTHORIZATION: `a ${SECRET}`,
      BROADSIDE_HTTP_AUTHORIZATION_2: `d ${SECRET}`,
      BROADSIDE_HTTP_COOKIE: `e=${SECRET}`,
      BROADSIDE_HTTP_COOKIE_2: `f=${SECRET}`,
      BROADSIDE_HTTP_X_API_KEY: SECRET,
    });
  });

  it('do not take the variable that another header names', () => {
    const env = { BROADSIDE_HTTP_COOKIE: 'mine' };
    const content = { http: { headers: { Cookie: ['$BROADSIDE_HTTP_COOKIE', SECRET] } } };
    const taken = takeHeaderSecrets(content, {}, env);
    assert.deepEqual(/** @type {Raw} */ (taken.content).http.headers.Cookie, [
      '$BROADSIDE_HTTP_COOKIE',
      '$BROADSIDE_HTTP_COOKIE_2',
    ]);
    assert.equal(env.BROADSIDE_HTTP_COOKIE, 'mine');
  });

  it('are in no resolved scenario, and in each request', async () => {
    const scenario = await load({ 'http.headers': [`Authorization: Bearer ${SECRET}`] });
    assert.doesNotMatch(JSON.stringify(scenario), /s3cr3t/);
    assert.match(sent(scenario), /\r\nAuthorization: Bearer s3cr3t\r\n/);
    forget();
    assert.throws(() => sent(scenario), { code: 'ESECRET' });
    keptSecrets.BROADSIDE_HTTP_AUTHORIZATION = 'a\r\nb: c';
    assert.throws(() => sent(scenario), { code: 'ESECRET' });
  });

  it('are not in what is said of a wrong one', async () => {
    for (const header of [`Authorization: ${SECRET}\r\nA: b`, `Authorization ${SECRET}`]) {
      await assert.rejects(load({ 'http.headers': header }), (/** @type {any} */ error) => {
        assert.doesNotMatch(JSON.stringify([error.message, error.data]), /s3cr3t/);
        return true;
      });
    }
    await assert.rejects(load({ 'http.headers': 'Authorization: $BROADSIDE_HTTP_NONE' }), { code: 'ESECRET' });
  });
});

describe('the first reply of http', () => {
  const of = (/** @type {string} */ reply, options = {}) =>
    http.turnedAway?.(reply, /** @type {HttpOptions} */ (options));

  it('turns the request away where it is a redirect or a client error, with the beginning of its body', () => {
    const chunked = 'HTTP/1.1 401 Unauthorized\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n';
    for (const [reply, status, said, remedy] of /** @type {[string, number, string, RegExp | null][]} */ ([
      [chunked, 401, '401 Unauthorized: hello', /token/],
      ['HTTP/1.0 404 \r\n\r\n', 404, '404 ', /path/],
      ['HTTP/1.1 302 Found\r\nlocation: /in\r\n\r\n', 302, '302 Found', /location: \/in$/],
      [`HTTP/1.1 400 Bad\r\nA: b\r\n\r\n${'x'.repeat(900)}`, 400, `400 Bad: ${'x'.repeat(200)}`, null],
      ['HTTP/1.1 405', 405, '405', /method/],
    ])) {
      const away = of(reply);
      assert.deepEqual([away?.status, away?.said], [status, said]);
      assert.match(away?.remedy ?? '', remedy ?? /^$/);
    }
  });

  it('asks for a token where none was sent, and names the headers that were', () => {
    const remedyOf = (/** @type {number} */ status, /** @type {object} */ headers) =>
      of(`HTTP/1.1 ${status} No\r\n\r\n`, { headers })?.remedy;
    assert.match(remedyOf(401, { Accept: 'a/b' }) ?? '', /^If it asks for a token/);
    for (const status of [401, 403]) {
      const remedy = remedyOf(status, {
        Accept: 'a/b',
        Authorization: '$BROADSIDE_HTTP_AUTHORIZATION',
        'X-Api-Key': 'k',
      });
      assert.equal(remedy, 'Authorization, X-Api-Key was sent: the server does not accept its value');
    }
    assert.match(remedyOf(404, { Authorization: 'a' }) ?? '', /path/);
  });

  it('is as wanted in any other case: a list may have such replies, and expect.status says what is expected', () => {
    const missing = 'HTTP/1.1 404 Not Found\r\n\r\n';
    assert.equal(of(missing, { requests: [{}, {}] }), null);
    assert.equal(of(missing, { expect: { status: 404 } }), null);
    for (const reply of ['HTTP/1.1 200 OK\r\n\r\n', 'HTTP/1.1 304 \r\n\r\n', 'HTTP/1.1 503 No\r\n\r\n', '', 'hello'])
      assert.equal(of(reply), null);
  });
});
