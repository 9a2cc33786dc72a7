// Protocol http of the client: against our servers, nginx, and a server that frames its replies in every way.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backends } from '../../client/engine/index.js';
import { requireTool, skip } from '../hooks.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { codesIn } from '../fixtures/page-elements.js';
import { sandbox } from '../fixtures/e2e-run.js';

const HTTP = { protocol: 'http', payload: undefined, duration: '500ms' };

/** @param {string} folder for all that it writes @param {string} port */
const nginxConf = (folder, port) => `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
events { worker_connections 1024; }
http { access_log off; keepalive_requests 100; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:${port}; root ${folder}/html;
    location /moved { return 302 /; } location /post { return 200 "posted"; } } }`;

/** @param {string} sandbox a folder @returns {string} the command that starts nginx, with a page of 10,000 bytes */
function nginxCommand(sandbox) {
  const folder = join(sandbox, 'nginx');
  mkdirSync(join(folder, 'html'), { recursive: true });
  writeFileSync(join(folder, 'html/page'), 'x'.repeat(10_000));
  writeFileSync(join(folder, 'conf.in'), nginxConf(folder, 'PORT'));
  const own = `${folder}/conf-{port}`;
  return `sed s/PORT/{port}/ ${folder}/conf.in > ${own} && exec nginx -e stderr -c ${own}`;
}

describe('a run with protocol http', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  const command = `${process.execPath} test/fixtures/http-replies-command.js {port}`;

  it('does not consider a server ready that does not speak HTTP', async () => {
    const run = box.stress({ ...HTTP, command, http: { path: '/nonsense' }, connections: 10 });
    await run.endsWith(1);
    assert.equal(run.summary().legs[0].failure.data.errorCode, 'ENOTREADY');
  });

  it('sends requests to the servers of this repository on persistent connections', async () => {
    const run = box.stress({ ...HTTP, servers: ['epoll', 'node'], connections: 40 });
    await run.endsWith(0);
    const { legs } = await assertBooks(run, { planned: true });
    assert.equal(legs.length, 2);
    for (const { leg, samples } of legs) {
      const { count } = leg.transfers;
      assert.ok(count >= 40, `${count} transfers`);
      assert.deepEqual(leg.statuses, { total: count, '2xx': count });
      assert.equal(
        samples.reduce((sum, { statuses }) => sum + (statuses?.['2xx'] ?? 0), 0),
        count,
      );
      assert.deepEqual([leg.errors.total, leg.transfers.failed, leg.connections.reopened], [0, 0, 0]);
    }
  });

  it.slow('gets, asks for the head and posts a body, one test after another', async () => {
    const tests = ['GET', 'HEAD', 'POST'].map((method) => ({ as: method, http: { method } }));
    const run = box.stress({ ...HTTP, tests, payload: '70000B', servers: ['epoll', 'node'], connections: 10 });
    await run.endsWith(0);
    const { legs } = await assertBooks(run, { planned: true });
    assert.deepEqual(
      legs.map(({ leg }) => leg.axes.test),
      ['GET', 'GET', 'HEAD', 'HEAD', 'POST', 'POST'],
    );
    for (const { leg } of legs) {
      const { count, bytesSent } = leg.transfers;
      assert.deepEqual([leg.statuses, leg.errors.total], [{ total: count, '2xx': count }, 0], leg.label);
      assert.equal(bytesSent >= 70_000 * count, leg.axes.test === 'POST', `${bytesSent} bytes in ${count} transfers`);
    }
  });

  it.slow('requests that they close, and reconnects without back-off', async () => {
    const run = box.stress({ ...HTTP, servers: ['epoll'], http: { keepAlive: false }, pause: '20ms', connections: 40 });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run, { planned: true });
    assert.deepEqual([leg.errors.total, leg.connections.lost, leg.rejects.total], [0, 0, 0]);
    assert.equal(leg.recoveryTimeNs, undefined);
    assert.ok(leg.connections.reopened >= 10, `${leg.connections.reopened} reopened`);
    // one transfer a connection; the last ones may not have been begun
    assert.ok(leg.connections.opened - leg.transfers.count <= 40);
  });

  const anew = (/** @type {any} */ leg) => assert.ok(leg.connections.reopened >= leg.transfers.count - 10);
  /** @type {[string, string, {io?: string}, (leg: any) => void][]} */
  const ways = [
    ['/length', '2xx', {}, (leg) => assert.equal(leg.connections.reopened, 0)],
    ['/chunked', '2xx', {}, (leg) => assert.equal(leg.connections.reopened, 0)],
    ['/until-close', '2xx', {}, anew],
    ['/until-close', '2xx', { io: 'io_uring' }, anew],
    ['/close', '2xx', {}, anew],
    ['/interim', '2xx', {}, (leg) => assert.equal(leg.connections.reopened, 0)],
    ['/503', '5xx', {}, (leg) => assert.equal(leg.connections.reopened, 0)],
    ['/elsewhere', '4xx', {}, (leg) => assert.equal(leg.connections.reopened, 0)],
  ];
  it.slow('shows next to response times that replies are not what was requested', async () => {
    const run = box.stress({ ...HTTP, command, http: { path: '/503' }, connections: 10 });
    await run.endsWith(1);
    const {
      legs: [{ leg }],
    } = await assertBooks(run, { planned: true });
    assert.deepEqual(leg.steady.statuses, { total: leg.steady.transfers, '5xx': leg.steady.transfers });
    assert.deepEqual([leg.endedBy, leg.failure.data.replies], ['no-transfers', '5xx'], 'no transfer succeeded');
    assert.deepEqual(
      leg.findings
        .map((/** @type {any} */ { code, data }) => [code, data.share])
        .filter((/** @type {any[]} */ [code]) => code === 'unwanted-replies'),
      [['unwanted-replies', 1]],
    );
    assert.match(run.stdout, / unwanted .*\n.* steady .* 100 % /, 'each second');
    assert.match(run.stdout, /\n replies not as requested +100 %\n +replies 5xx +[\d,]+\n/, 'and at the end');
    const page = readFileSync(join(run.report, `${run.summary().run}.html`), 'utf8');
    assert.ok(codesIn(page).includes('unwanted-replies'), 'in the verdict');
    assert.match(page, /<td class="bad" data-name="replies not as requested">100\s%<\/td>/, 'in the totals');
  });

  for (const [path, status, scenario, holds] of ways) {
    const add = path === '/length' ? it : it.slow;
    add(`reads ${path} as ${status}${scenario.io ? ` over ${scenario.io}` : ''}`, async function () {
      const backend = backends().find(({ name }) => name === scenario.io);
      if (backend && !backend.available) skip(this, `io_uring is not there: ${backend.why}`);
      const run = box.stress({ ...HTTP, ...scenario, command, http: { path }, connections: 10 });
      await run.endsWith(status === '5xx' ? 1 : 0);
      const {
        legs: [{ leg }],
      } = await assertBooks(run, { planned: true });
      assert.ok(leg.transfers.count >= 20, `${leg.transfers.count} transfers`);
      assert.deepEqual(leg.statuses, { total: leg.transfers.count, [status]: leg.transfers.count });
      assert.deepEqual([leg.errors.total, leg.connections.lost, leg.transfers.failed], [0, 0, 0]);
      holds(leg);
    });
  }

  it.slow('counts a truncated reply as a loss', async () => {
    const run = box.stress({ ...HTTP, command, http: { path: '/cut' }, connections: 10 });
    await run.endsWith(1);
    const {
      legs: [{ leg }],
    } = await assertBooks(run, { planned: true });
    assert.ok(leg.errors.closed >= 10, JSON.stringify(leg.errors));
    assert.deepEqual([leg.errors.total, leg.transfers.count, leg.statuses], [leg.errors.closed, 0, undefined]);
  });

  for (const [what, scenario] of /** @type {const} */ ([
    ['servers of ours', { servers: ['epoll', 'node'] }],
    ['one that answers in chunks', { command, http: { path: '/chunked' } }],
  ])) {
    it.slow(`sends ${what} several requests at once on each connection`, async () => {
      const run = box.stress({ ...HTTP, ...scenario, pipeline: 16, pause: '0s', connections: 10 });
      await run.endsWith(0);
      const { legs } = await assertBooks(run, { planned: true });
      for (const { leg, samples } of legs) {
        const { count } = leg.transfers;
        assert.ok(count >= 20, `${leg.label}: ${count} transfers`);
        assert.deepEqual(leg.statuses, { total: count, '2xx': count }, leg.label);
        assert.deepEqual([leg.errors.total, leg.transfers.failed, leg.connections.reopened], [0, 0, 0], leg.label);
        const most = Math.max(...samples.map(({ gauges }) => gauges.inFlight));
        assert.ok(most > 1 && most <= 160, `${leg.label}: ${most} in flight`);
      }
    });
  }

  it.slow('counts pending requests as failed if the server ends their connection', async () => {
    const run = box.stress({
      ...HTTP,
      command,
      http: { path: '/close' },
      pipeline: 4,
      pause: '0s',
      connections: 10,
      duration: '1s',
    });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run, { planned: true });
    const {
      transfers: { count, failed },
      errors,
      connections: { lost, opened },
    } = leg;
    assert.ok(lost >= 1, `${lost} lost`);
    assert.deepEqual([errors.total, errors.closed], [lost, lost]);
    assert.equal(failed, 3 * lost); // one is answered, and the end announced with it
    assert.ok(count >= lost && count <= opened, `${count} transfers`);
  });

  for (const [what, lifetime] of /** @type {const} */ ([
    ['loses the requests in flight when the server closes a connection', {}],
    ['loses nothing to it on connections that end by themselves before', { lifetime: { transfers: 100 } }],
  ])) {
    it.slow(`with a pipeline, nginx: ${what}`, async function () {
      requireTool(this, 'nginx');
      const run = box.stress({
        ...HTTP,
        ...lifetime,
        command: nginxCommand(box.folder),
        http: { path: '/page' },
        pipeline: 16,
        pause: '0s',
        connections: 20,
        duration: '1s',
      });
      await run.endsWith(0);
      const {
        legs: [{ leg }],
      } = await assertBooks(run, { planned: true });
      const {
        transfers: { count, failed },
        errors,
        connections: { opened, reopened },
      } = leg;
      assert.deepEqual(leg.statuses, { total: count, '2xx': count });
      assert.ok(reopened > 0 && count <= 100 * opened, `${count} transfers, ${opened} opened`);
      if ('lifetime' in lifetime) {
        assert.ok(count >= 100 * (opened - 20), `${count} transfers, ${opened} opened`);
        assert.deepEqual([errors.total, failed], [0, 0]);
      } else {
        assert.ok(errors.total > 0 && errors.total === errors.closed + (errors.reset ?? 0), JSON.stringify(errors));
        assert.ok(failed >= errors.total && failed <= 15 * errors.total, `${failed} failed`);
      }
    });
  }

  for (const [what, http, scenario, status] of /** @type {const} */ ([
    ['a page', { path: '/page' }, {}, '2xx'],
    ['the head of a page', { path: '/page', method: 'HEAD' }, {}, '2xx'],
    ['for what is not there', { path: '/not-there', headers: { Accept: 'text/html' } }, {}, '4xx'],
    ['for what has moved', { path: '/moved' }, {}, '3xx'],
    ['by POST', { path: '/post', method: 'POST' }, { payload: '10KiB' }, '2xx'],
    ['each time anew', { path: '/page', keepAlive: false }, {}, '2xx'],
  ])) {
    const add = what === 'a page' ? it : it.slow;
    add(`sends requests to nginx: ${what}`, async function () {
      requireTool(this, 'nginx');
      const run = box.stress({ ...HTTP, ...scenario, command: nginxCommand(box.folder), http, connections: 20 });
      await run.endsWith(0);
      const {
        legs: [{ leg }],
      } = await assertBooks(run, { planned: true });
      assert.ok(leg.transfers.count >= 20, `${leg.transfers.count} transfers`);
      assert.deepEqual(leg.statuses, { total: leg.transfers.count, [status]: leg.transfers.count });
      assert.deepEqual([leg.errors.total, leg.connections.lost, leg.transfers.failed], [0, 0, 0]);
    });
  }
});
