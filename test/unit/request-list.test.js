// A list of requests from a file, in each of its formats.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { keptSecrets } from '../../client/protocols/kept-secrets.js';
import { readRequestList, takenText } from '../../client/scenario/keys/request-list.js';
import { loadScenario } from '../../client/scenario/scenario.js';
import { refusalOf } from '../fixtures/codes.js';

const PLACE = { folder: '/lists', hosts: [] };

/** @param {string} url @param {object} [more] of the request */
const entry = (url, more = {}) => ({ request: { method: 'GET', url, headers: [], ...more } });
/** @param {object[]} entries */
const har = (...entries) => JSON.stringify({ log: { version: '1.2', entries } });

describe('a list of requests from a file', () => {
  it('of HAR has the requests of one origin, without what the client sets itself', () => {
    const headers = [
      ...['Host', ':path', 'Connection', 'content-length', 'Accept'].map((name) => ({ name, value: 'a' })),
      { name: 'accept', value: 'b' },
    ];
    const postData = { mimeType: 'application/json', text: '{"a": 1}' };
    const form = { params: [{ name: 'a b', value: '&' }] };
    const text = har(
      entry('https://shop.example/', { headers }),
      entry('https://cdn.example/a.js'),
      entry('https://shop.example:443/cart?x={1}#top', { method: 'POST', postData }),
      entry('https://shop.example/cart?x={1}', { method: 'POST', postData: form }),
      entry('wss://shop.example/live'),
      entry('https://shop.example/', { headers }),
      entry('data:text/plain,a'),
    );
    const { requests, ...rest } = readRequestList(text, PLACE);
    assert.deepEqual(requests, [
      { name: 'GET /', method: 'GET', path: '/', headers: { Accept: ['a', 'b'] }, weight: 2 },
      { name: 'POST /cart?x={1}', method: 'POST', path: '/cart?x={1}', headers: {}, body: '{"a": 1}', weight: 1 },
      { name: 'POST /cart?x={1} #2', method: 'POST', path: '/cart?x={1}', headers: {}, body: 'a+b=%26', weight: 1 },
    ]);
    const other = 'with another scheme than http or https';
    const leftOut = [
      { reason: 'of other origins', count: 1 },
      { reason: other, count: 2 },
    ];
    assert.deepEqual(rest, { origin: 'https://shop.example', taken: 4, leftOut });
    const said = `4 requests of shop.har; left out: 1 of other origins, 2 ${other}`;
    assert.equal(takenText({ file: 'a/shop.har', taken: 4, leftOut }), said);
    const ofHost = readRequestList(text, { ...PLACE, hosts: ['127.0.0.1:80', 'cdn.example:443'] });
    assert.deepEqual([ofHost.taken, ofHost.requests.length], [1, 1]);
    assert.throws(() => readRequestList(text, { ...PLACE, hosts: ['other.example'] }), { problem: 'empty' });
  });

  it('of HAR has the bytes of bodies, and leaves out what is no request that can be sent as it was', () => {
    const bytes = Buffer.from('\0\xff{uuid}\r\n', 'latin1').toString('base64');
    const multipart = 'multipart/form-data; boundary=x';
    const post = (/** @type {object} */ postData, more = {}) =>
      entry('http://a/p', { method: 'POST', postData, ...more });
    const length = { headers: [{ name: 'Content-Length', value: '9' }] };
    const file = { name: 'f"', fileName: 'a.txt', contentType: 'text/plain', value: 'hello' };
    const rows = /** @type {[object, object | string][]} */ ([
      [post({ text: bytes, encoding: 'base64' }), { bodyBase64: bytes }],
      [post({ text: '@a' }), { bodyBase64: Buffer.from('@a').toString('base64') }],
      [
        post({ mimeType: 'application/x-www-form-urlencoded', params: [{ name: 'a', value: '1 2' }] }),
        { body: 'a=1+2' },
      ],
      [
        post({ mimeType: multipart, params: [file, { name: 'b', value: '1' }] }),
        {
          headers: { 'Content-Type': multipart },
          body:
            '--x\r\nContent-Disposition: form-data; name="f%22"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n' +
            '--x\r\nContent-Disposition: form-data; name="b"\r\n\r\n1\r\n--x--\r\n',
        },
      ],
      [
        post({ mimeType: 'multipart/form-data', params: [{ name: 'b' }] }),
        {
          headers: { 'Content-Type': 'multipart/form-data; boundary=----broadside-boundary' },
          body:
            '------broadside-boundary\r\nContent-Disposition: form-data; name="b"\r\n\r\n\r\n' +
            '------broadside-boundary--\r\n',
        },
      ],
      [post({ mimeType: multipart, params: [{ name: 'f', fileName: 'a.txt' }] }), 'whose body is not in the file'],
      [entry('http://a/p', { method: 'POST', ...length }), 'whose body is not in the file'],
      [{ ...entry('http://a/'), _resourceType: 'websocket' }, 'of WebSocket'],
      [{ ...entry('http://a/'), response: { status: 101 } }, 'of WebSocket'],
      [{ ...entry('http://a/'), response: { status: 0 } }, 'that were aborted or blocked'],
      [entry(`http://a/${'q'.repeat(4096)}`), 'with a path of more than 4,096 characters'],
      [entry('http://a/\u00fc'), 'with a path that is not in ASCII'],
      [post({ params: [null] }), 'that are not as HAR has them'],
      [post({ params: {} }), 'that are not as HAR has them'],
      [entry('http://a/', { headers: [{ value: 'a' }] }), 'that are not as HAR has them'],
      [{}, 'that are not as HAR has them'],
    ]);
    for (const [row, expected] of rows) {
      const { requests, leftOut } = readRequestList(`\ufeff${har(entry('http://a/'), row)}`, PLACE);
      const second = /** @type {any} */ (requests[1]);
      if (typeof expected === 'string') assert.deepEqual(leftOut, [{ reason: expected, count: 1 }]);
      else
        assert.deepEqual(second, { name: 'POST /p', method: 'POST', path: '/p', headers: {}, weight: 1, ...expected });
    }
  });

  it('of lines has headers and files below each', () => {
    const text = [
      ...['# of today', 'GET http://a:8080/x?{random:1-9}', 'Accept:  a ', 'X-Id: {uuid}', '', 'POST http://a:8080'],
      ...['@body.json', 'GET /y', 'GET http://b:8080/z', ''],
    ].join('\r\n');
    const { requests, taken, leftOut, origin } = readRequestList(text, PLACE);
    assert.deepEqual(requests, [
      {
        name: 'GET /x?{random:1-9}',
        method: 'GET',
        path: '/x?{random:1-9}',
        headers: { Accept: 'a', 'X-Id': '{uuid}' },
        weight: 1,
      },
      { name: 'POST /', method: 'POST', path: '/', headers: {}, body: '@/lists/body.json', weight: 1 },
      { name: 'GET /y', method: 'GET', path: '/y', headers: {}, weight: 1 },
    ]);
    assert.deepEqual([taken, leftOut, origin], [3, [{ reason: 'of other origins', count: 1 }], 'http://a:8080']);
  });

  it('of JSON is as it is written, and has the 256 most frequent', () => {
    assert.deepEqual(readRequestList('[{"path": 7}]', PLACE).requests, [{ path: 7 }]);
    const many = Array.from({ length: 300 }, (_, i) => `GET http://a/${i % 290}`).join('\n');
    const { requests, taken, leftOut } = readRequestList(many, PLACE);
    const beyond = { reason: 'beyond the 256 most frequent', count: 34 };
    assert.deepEqual([requests.length, taken, leftOut], [256, 266, [beyond]]);
  });

  it('is refused where it has none', () => {
    for (const [text, problem] of [
      ['[{', 'not-json'],
      ['['.repeat(50_000), 'too-deep'],
      ['{"log": {}}', 'no-list'],
      ['\n', 'empty'],
      ['GET http://a/\nnothing here of use', 'wrong-line'],
    ])
      assert.throws(() => readRequestList(text, PLACE), { problem });
  });
});

describe('http.requestsFrom', () => {
  /** @type {string} */
  let folder;
  before(async () => void (folder = await mkdtemp(path.join(os.tmpdir(), 'broadside-'))));
  after(() => rm(folder, { recursive: true }));

  it('gives the requests, and without a server the target, of flags and of a file relative to the scenario', async () => {
    const file = path.join(folder, 'a.txt');
    await writeFile(file, 'GET http://127.0.0.1:8080/x\nCookie: s3cr3t\n\nGET http://127.0.0.1:8080/y');
    const of = (/** @type {object} */ flags) =>
      loadScenario({ flags: { 'http.requestsFrom': file, connections: 1, ...flags } });
    const alone = await of({});
    assert.deepEqual([alone.protocol, alone.target], ['http', { host: '127.0.0.1', port: 8080 }]);
    assert.deepEqual(
      alone.protocolOptions.requests?.map(({ name }) => name),
      ['GET /x', 'GET /y'],
    );
    assert.deepEqual(alone.requestsFrom, [{ file, taken: 2, leftOut: [] }]);
    for (const target of ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/'])
      assert.equal((await of({ target: [target] })).protocolOptions.requests?.length, 2);
    const withPath = await refusalOf(() => of({ target: ['http://127.0.0.1:8080/z'] }));
    assert.deepEqual(withPath, ['http.path set-by-requests']);
    assert.doesNotMatch(JSON.stringify(alone), /s3cr3t/);
    const content = { servers: ['epoll'], connections: 1, protocol: 'http', http: { requestsFrom: 'a.txt' } };
    const config = path.join(folder, 'run.json');
    await writeFile(config, JSON.stringify(content));
    const named = await loadScenario({ config });
    assert.deepEqual([named.target, named.protocolOptions.requests?.length], [undefined, 2]);
    await writeFile(config, JSON.stringify({ ...content, http: undefined, tests: [{ as: 'a', http: content.http }] }));
    const [point] = (await loadScenario({ config })).points ?? [];
    assert.equal(point.settings.protocolOptions.requests?.length, 2);
    delete keptSecrets.BROADSIDE_HTTP_COOKIE;
  });

  it('is refused if there is no such file, or a list besides it', async () => {
    const config = path.join(folder, 'wrong.json');
    await writeFile(path.join(folder, 'list.json'), '[{"path": "a"}]');
    for (const [http, refusal] of /** @type {[object, string][]} */ ([
      [{ requestsFrom: 'none.har' }, 'EREQUESTFILE missing'],
      [{ requestsFrom: 'list.json' }, 'http.requests[0].path wrong-value'],
      [{ requestsFrom: 'a.txt', requests: [{}] }, 'http.requestsFrom set-by-requests'],
    ])) {
      await writeFile(config, JSON.stringify({ servers: ['epoll'], connections: 1, protocol: 'http', http }));
      assert.deepEqual(await refusalOf(() => loadScenario({ config })), [refusal]);
    }
  });
});
