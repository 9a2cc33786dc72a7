// Protocol http of the client: against our servers, and the user's own request against a server that keeps what it got.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path, { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { startLoggingHttpServer } from '../fixtures/e2e-server.js';

/** @import { Recorded } from '../fixtures/recording-command.js' */

/** @param {string} folder @returns {string} of all its files, one character for each byte */
const textOf = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

describe('a run with protocol http', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1, protocol: 'http', payload: undefined, duration: '60s' });

  it("sends the user's own request to a target alone, as often as it says, and stores no secret", async () => {
    const server = await startLoggingHttpServer();
    try {
      const body = path.join(box.folder, 'body.bin');
      writeFileSync(body, Buffer.from('\0\xff\r\n\r\n"', 'latin1'));
      const flags = [
        '-sH',
        'Authorization: Bearer s3cr3t',
        '-H',
        'X-A: \u00fc',
        '-HX-A: 2',
        '-m',
        'PATCH',
        '-b',
        `@${body}`,
      ];
      const load = ['-n', '300', '-c7', '--table', 'all'];
      const url = `http://127.0.0.1:${server.port}/cart?a=b`;
      const run = box.start([process.execPath, CLI, url, ...flags, ...load, ...box.folders()]);
      await run.endsWith(0);
      const [{ leg }] = (await assertBooks(run)).legs;
      assert.deepEqual([leg.endedBy, leg.statuses], ['done', { total: 300, '2xx': 300 }]);
      assert.equal(leg.steady.transfers, 300, 'none of them belongs to a ramp');
      const head =
        `PATCH /cart?a=b HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Length: 7\r\n` +
        'Authorization: Bearer s3cr3t\r\nX-A: \xc3\xbc\r\nX-A: 2\r\n\r\n';
      // one of them before the run
      assert.deepEqual(await server.account(), [[`${head}\0\xff\r\n\r\n"`, 301]]);
      const stored = textOf(run.logs) + textOf(run.report);
      assert.ok(stored.includes('$BROADSIDE_HTTP_AUTHORIZATION'));
      assert.doesNotMatch(stored + run.stdout + run.stderr, /s3cr3t/);
    } finally {
      await server.stop();
    }
  });

  it('stores no secret that the server repeats, nor prints it with --debug', async () => {
    const server = await startLoggingHttpServer();
    try {
      const words = [
        '--H',
        'Authorization: Bearer t0k3n+f0r/u',
        '-m',
        'DELETE',
        '-n',
        '20',
        '-c',
        '2',
        ...box.folders(),
      ];
      const run = box.start([process.execPath, CLI, `http://127.0.0.1:${server.port}/`, ...words, '--force']);
      await run.endsWith(1); // without one reply as requested
      const [{ statuses, quotes }] = run.summary().legs;
      assert.deepEqual(statuses, { total: 20, '4xx': 20 });
      const variable = '$BROADSIDE_HTTP_AUTHORIZATION';
      assert.equal(quotes[0].text, `HTTP/1.1 401 ${variable}\\r\\n${variable}`); // status and body
      assert.doesNotMatch(textOf(run.logs) + textOf(run.report) + run.stdout + run.stderr, /t0k3n/i);
      const debugged = box.start([process.execPath, CLI, `http://127.0.0.1:${server.port}/`, ...words, '--debug']);
      await debugged.endsWith(0);
      assert.match(debugged.stdout, /Location: /);
      assert.doesNotMatch(debugged.stdout + debugged.stderr, /t0k3n/i);
      const refused = box.start([process.execPath, CLI, `http://127.0.0.1:${server.port}/`, ...words]);
      await refused.endsWith(3);
      assert.match(refused.stderr, /first request with 401 \$BROADSIDE_HTTP_AUTHORIZATION: .*--force/);
      assert.doesNotMatch(refused.stdout + refused.stderr, /t0k3n/i);
    } finally {
      await server.stop();
    }
  });

  it('is what a command speaks for which no protocol is given', async () => {
    const web = `node -e 'require("http").createServer((q, r) => r.end("ok")).listen({port}, "127.0.0.1")'`;
    const words = ['stress', '--command', `web=${web}`, '-c', '2', '-d', '1s', ...box.folders()];
    const run = box.start([process.execPath, CLI, ...words]);
    await run.endsWith(0);
    assert.match(run.stderr, /web is measured as HTTP\/1\.1, .*--protocol http/);
    const [{ leg }] = (await assertBooks(run)).legs;
    assert.ok(leg.statuses['2xx'] > 0);
  });

  it('with --debug sends one request, and prints it and the reply', async () => {
    const server = await startLoggingHttpServer();
    try {
      const url = `http://127.0.0.1:${server.port}/`;
      const run = box.start([process.execPath, CLI, url, '-b', '{"a": "\u00fc"}', '-H', 'X-Token: s3cr3t', '--debug']);
      await run.endsWith(0);
      const [[request, times]] = await server.account();
      assert.equal(times, 1);
      assert.match(request, /^POST [^]*\r\nX-Token: s3cr3t\r\n\r\n{"a": "\xc3\xbc"}$/);
      assert.match(run.stdout, /\n> X-Token: \$BROADSIDE_HTTP_X_TOKEN\\r\\n\n> \\r\\n\n> {"a": "\\xc3\\xbc"}\n/);
      assert.match(run.stdout, /\n< HTTP\/1.1 200 OK\\r\\n\n< Content-Length: 2\\r\\n\n< \\r\\n\n< ok\n/);
    } finally {
      await server.stop();
    }
  });

  it('draws from a list of requests on every connection, with numbers that are unique over all workers', async () => {
    const file = join(box.folder, 'requests.json');
    const body = '{"id": "{uuid}", "n": {random:1-100000}}';
    const requests = [
      { path: '/items/{random:1-9}', weight: 3 },
      { method: 'POST', path: '/cart/{sequence}', headers: { 'X-Id': '{sequence}' }, body },
    ];
    const command = `env > ${file}.env; exec ${process.execPath} test/fixtures/recording-command.js {port} ${file}`;
    const run = box.stress({
      ...{ command, http: { headers: { Authorization: 'Bearer a' }, requests } },
      ...{ connections: 6, transfers: 1200, pipeline: 4, pause: '0s', workers: 2 },
    });
    await run.endsWith(0);
    assert.doesNotMatch(readFileSync(`${file}.env`, 'utf8'), /BROADSIDE_HTTP_/);
    const { legs } = await assertBooks(run, { planned: true });
    const [{ leg, samples }] = legs;
    assert.deepEqual(leg.statuses, { total: 1200, '2xx': 1200 });
    /** @type {Recorded[]} */
    const [first, ...recorded] = JSON.parse(readFileSync(file, 'utf8'));
    assert.ok(first, 'the transfer before the leg');
    assert.equal(recorded.length, 1200);
    assert.ok(recorded.every(({ headers }) => headers.authorization === 'Bearer a'));
    const posts = recorded.filter(({ method }) => method === 'POST');
    assert.deepEqual(
      leg.requests.map((/** @type {any} */ { name, transfers, statuses }) => [name, transfers.count, statuses]),
      [
        ['GET /items/{random:1-9}', 1200 - posts.length, { total: 1200 - posts.length, '2xx': 1200 - posts.length }],
        ['POST /cart/{sequence}', posts.length, { total: posts.length, '2xx': posts.length }],
      ],
    );
    const reported = samples.map(({ requests: each = [] }) =>
      each.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.transfers, 0),
    );
    assert.deepEqual(
      reported,
      samples.map(({ counters }) => counters.transfers),
    );
    assert.ok(posts.length > 200 && posts.length < 400, `${posts.length} of about 300`);
    for (let connection = 1; connection <= 6; connection += 1) {
      const own = recorded.filter((request) => request.connection === connection);
      assert.deepEqual(
        [...new Set(own.map(({ method }) => method))].sort(),
        ['GET', 'POST'],
        `on connection ${connection}`,
      );
    }
    for (const { path, headers, body: sent } of posts) {
      assert.equal(path, `/cart/${headers['x-id']}`);
      assert.ok(JSON.parse(sent).n >= 1, sent);
    }
    assert.equal(new Set(posts.map(({ path }) => path)).size, posts.length);
    assert.equal(new Set(posts.map(({ body: sent }) => JSON.parse(sent).id)).size, posts.length);
  });

  it('counts and quotes replies that are not as expected', async () => {
    const file = join(box.folder, 'expected.json');
    const requests = [
      { path: '/404/gone', expect: { status: 404, body: 'gone' } },
      { path: '/200/here', expect: { body: 'gone' } },
      { path: '/301', expect: { status: '2xx' } },
      { path: '/500' },
      { method: 'HEAD', path: '/200' },
    ];
    const command = `${process.execPath} test/fixtures/recording-command.js {port} ${file}`;
    const run = box.stress({ command, http: { requests }, connections: 4, transfers: 400, pipeline: 4, pause: '0s' });
    await run.endsWith(0);
    const { legs } = await assertBooks(run, { planned: true });
    const [{ leg, rows }] = legs;
    /** @type {Recorded[]} */
    const [, ...recorded] = JSON.parse(readFileSync(file, 'utf8'));
    const sent = (/** @type {string} */ path) => recorded.filter((request) => request.path === path).length;
    assert.deepEqual(leg.statuses, {
      ...{ total: 400, '2xx': sent('/200'), '5xx': sent('/500'), ok: sent('/404/gone') },
      ...{ 'wrong-status': sent('/301'), 'wrong-body': sent('/200/here') },
    });
    assert.deepEqual(leg.codes, {
      ...{ 200: sent('/200') + sent('/200/here'), 301: sent('/301') },
      ...{ 404: sent('/404/gone'), 500: sent('/500') },
    });
    const logged = requests.map(({ path }, i) => {
      const codes = (rows ?? []).filter(({ request }) => request === i).map(({ code }) => code);
      return [path, codes.length, ...new Set(codes)];
    });
    assert.deepEqual(
      logged,
      requests.map(({ path }) => [path, sent(path), Number(path.split('/')[1])]),
    );
    const quoted = leg.quotes.map((/** @type {any} */ { kind, text }) => [kind, text.slice(0, 12)]).sort();
    assert.deepEqual(quoted, [
      ['5xx', 'HTTP/1.1 500'],
      ['wrong-body', 'HTTP/1.1 200'],
      ['wrong-status', 'HTTP/1.1 301'],
    ]);
    const { data } = leg.findings.find((/** @type {any} */ { code }) => code === 'failed-replies');
    // the steady state may begin while the last of these transfers are made
    assert.equal(data.ofLeg ?? data.count, sent('/500') + sent('/301') + sent('/200/here'));
  });
});
