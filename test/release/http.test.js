// Protocol http of the client with a pipeline against nginx, which ends connections after 100 requests.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireTool } from '../skip.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

/** @param {string} folder for all that it writes @param {string} port */
const nginxConf = (folder, port) => `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
events { worker_connections 1024; }
http { access_log off; keepalive_requests 100; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:${port}; root ${folder}/html; } }`;

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

  for (const [what, lifetime] of /** @type {const} */ ([
    ['loses the requests in flight when the server closes a connection', {}],
    ['loses nothing to it on connections that end by themselves before', { lifetime: { transfers: 100 } }],
  ])) {
    it(`with a pipeline, nginx: ${what}`, async function () {
      requireTool(this, 'nginx');
      const run = box.stress({
        ...lifetime,
        protocol: 'http',
        payload: undefined,
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
});
