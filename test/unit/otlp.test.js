// Metrics sent by OTLP/HTTP: what a collector on loopback receives, and what is refused or fails.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPart } from '../../client/commands/options.js';
import { publish } from '../../client/commands/publication.js';
import { otlpEndpoint } from '../../client/store/otlp-endpoint.js';
import { codesOf } from '../fixtures/codes.js';
import { RECORDED, RUN_ID } from '../fixtures/recorded-run.js';

/**
 * @import { IncomingHttpHeaders } from 'node:http'
 * @import { AddressInfo } from 'node:net'
 */

const summary = JSON.parse(readFileSync(join(RECORDED, 'summary.json'), 'utf8'));

const environment = JSON.parse(readFileSync(join(RECORDED, 'environment.json'), 'utf8'));

/** @param {{ otlp?: string }} argv @param {Record<string, string | undefined>} env */
const publicationOf = (argv, env) => readPart('publication', argv, { env });

/** @typedef {{ method?: string, url?: string, headers: IncomingHttpHeaders, body: any }} Received */

/**
 * @param {number} status of its replies; 0: it never replies
 * @param {(url: string, received: Received[]) => Promise<void>} use
 */
async function withCollector(status, use) {
  /** @type {Received[]} */
  const received = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part) => (text += part));
    request.on('end', () => {
      const { method, url, headers } = request;
      received.push({ method, url, headers, body: JSON.parse(text) });
      if (status !== 0) response.writeHead(status).end('{}');
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {AddressInfo} */ (server.address());
  try {
    await use(`http://127.0.0.1:${port}`, received);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** @param {Received[]} received @param {string} name @param {string} label @returns {any[]} its points of the case */
const pointsOf = (received, name, label) =>
  received
    .flatMap(({ body }) => body.resourceMetrics)
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)
    .filter((metric) => metric.name === name)
    .flatMap(({ gauge }) => gauge.dataPoints)
    .filter((point) => attribute(point, 'case') === label);

/** @param {any} point @param {string} key */
const attribute = (point, key) =>
  point.attributes.find((/** @type {any} */ attribute) => attribute.key === key)?.value.stringValue;

describe('metrics by OTLP/HTTP', () => {
  /** @type {string} */
  let folder;
  before(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'broadside-otlp-')), RUN_ID);
    cpSync(RECORDED, folder, { recursive: true });
  });
  after(() => rmSync(join(folder, '..'), { recursive: true }));

  it('reach the collector, with the figures of the summary and a point for every second', async () => {
    await withCollector(200, async (url, received) => {
      const env = { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b' };
      assert.deepEqual(await publish(folder, publicationOf({ otlp: `${url}/base/` }, env)), []);
      for (const { method, url: path, headers, body } of received) {
        assert.deepEqual([method, path], ['POST', '/base/v1/metrics']);
        assert.deepEqual([headers['content-type'], headers['x-key']], ['application/json', 'a b']);
        const [{ scope }] = body.resourceMetrics[0].scopeMetrics;
        assert.deepEqual(scope, { name: 'broadside', version: environment.versions.broadside });
      }
      for (const { label, steady, transfers } of summary.legs) {
        const times = pointsOf(received, 'broadside.response_time', label);
        const median = times.find((point) => attribute(point, 'quantile') === '0.5');
        assert.ok(Math.abs(median.asDouble * 1e9 - steady.responseTimeNs.p50) < 1);
        assert.equal(BigInt(median.timeUnixNano), BigInt(Date.parse(summary.endedAt)) * 1_000_000n);
        const sum = pointsOf(received, 'broadside.interval.transfers_per_second', label)
          .map(({ asDouble, startTimeUnixNano: from, timeUnixNano: to }) => (asDouble * (to - from)) / 1e9)
          .reduce((all, count) => all + count, 0);
        assert.ok(Math.abs(sum / transfers.count - 1) < 1e-3, `${sum} of ${transfers.count}`);
      }
    });
  });

  it('that are refused by the collector, not answered, or for a public address without leave, are a warning', async () => {
    await withCollector(503, async (url, received) => {
      const [failed, ...others] = await publish(folder, publicationOf({ otlp: url }, {}));
      assert.deepEqual([failed.code, failed.data.url, others.length], ['otlp-not-sent', `${url}/v1/metrics`, 0]);
      assert.match(failed.data.reason, /503/);
      assert.equal(received.length, 1, 'it stops at the first failure');
    });
    await withCollector(0, async (url) => {
      const env = { OTEL_EXPORTER_OTLP_TIMEOUT: '50' };
      const [failed] = await publish(folder, publicationOf({ otlp: url }, env));
      assert.match(failed.data.reason, /50 ms/);
    });
    for (const otlp of ['http://192.0.2.1:4318', 'http://[2001:db8::1]:4318']) {
      const [failed] = await publish(folder, publicationOf({ otlp }, {}));
      assert.match(failed.data.reason, /public/);
    }
    assert.equal(otlpEndpoint({ otlp: 'http://192.0.2.1', 'otlp-public': true }, {})?.allowPublic, true);
  });

  it('are sent only if asked for; headers and timeout may come from the variables of OpenTelemetry', () => {
    assert.equal(otlpEndpoint({}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }), null);
    const env = {
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1',
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'b=2',
      OTEL_EXPORTER_OTLP_TIMEOUT: '',
    };
    const endpoint = otlpEndpoint({ otlp: 'http://127.0.0.1:4318' }, env);
    assert.deepEqual(
      [endpoint?.url.href, endpoint?.headers, endpoint?.timeoutMs],
      ['http://127.0.0.1:4318/v1/metrics', { b: '2' }, 10_000],
    );
  });

  it('are refused by variables that cannot be used, before the run', () => {
    const otlp = 'http://127.0.0.1:4318';
    for (const [option, value] of [
      ['OTEL_EXPORTER_OTLP_TIMEOUT', 'soon'],
      ['OTEL_EXPORTER_OTLP_METRICS_HEADERS', 'novalue'],
    ])
      assert.throws(
        () => publicationOf({ otlp }, { [option]: value }),
        (/** @type {any} */ { code, data }) => code === 'EOPTION' && data.option === option,
      );
  });

  it('do not hinder the summary of a GitHub job, which is appended', async () => {
    const file = join(folder, '..', 'step.md');
    const publication = publicationOf({ otlp: 'http://192.0.2.1' }, { GITHUB_STEP_SUMMARY: file });
    const failed = [...(await publish(folder, publication)), ...(await publish(folder, publication))];
    assert.deepEqual(codesOf(failed), ['otlp-not-sent', 'otlp-not-sent']);
    assert.equal(readFileSync(file, 'utf8').split('## Broadside: ').length, 3);
    const [unwritten] = await publish(folder, publicationOf({}, { GITHUB_STEP_SUMMARY: join(file, 'x') }));
    assert.equal(unwritten.code, 'step-summary-not-written');
  });
});
