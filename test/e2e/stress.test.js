// `broadside stress` as a child process, against real servers: the books agree, and every fault leaves a right folder.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parquetMetadata } from 'hyparquet';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (/** @type {string[]} */ ...parts) => readFileSync(path.join(...parts), 'utf8');
const schemaOf = (/** @type {string} */ name) =>
  new Ajv2020({ strict: true, strictTypes: false,
    strictRequired: false }).compile(JSON.parse(read(root, 'config/schema', name)));
const small = { connections: '20', 'ramp.add': '20', 'ramp.every': '200ms', duration: '1s', payload: '1KiB',
  drainTimeout: '1s' };

describe('broadside stress', function suite() {
  this.timeout(60_000);
  /** @type {string} */
  let folder;
  beforeEach(() => { folder = mkdtempSync(path.join(os.tmpdir(), 'broadside-e2e-')); });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** @param {string[]} flags */
  function start(flags) {
    const rest = Object.entries(small).flatMap(([key, value]) =>
      (flags.includes(`--${key}`) ? [] : [`--${key}`, value]));
    const child = spawn(process.execPath, ['client/cli.js', 'stress', '--logs', path.join(folder, 'logs'), '--report',
      path.join(folder, 'report'), ...rest, ...flags], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { out: '', err: '' };
    child.stdout.on('data', (chunk) => { said.out += chunk; });
    child.stderr.on('data', (chunk) => { said.err += chunk; });
    /** @type {Promise<{ code: number | null, signal: string | null }>} */
    const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
    /** Waits for what the console says. @param {RegExp} pattern */
    const says = async (pattern) => {
      const deadline = performance.now() + 30_000;
      while (!pattern.test(said.out)) {
        assert.ok(performance.now() < deadline && child.exitCode === null,
          `never said ${pattern}: ${said.out}${said.err}`);
        await Promise.race([ended, new Promise((resolve) => child.stdout.once('data', resolve))]);
      }
    };
    return { child, said, ended, says };
  }

  /** The run folder's books: samples, summary and log must agree. */
  function audit() {
    const [id] = readdirSync(path.join(folder, 'logs'));
    const run = path.join(folder, 'logs', id);
    const summary = JSON.parse(read(run, 'summary.json'));
    const admits = schemaOf('summary.json');
    assert.equal(admits(summary), true, JSON.stringify(admits.errors));
    const admitsSample = schemaOf('sample.json');
    for (const leg of summary.legs) {
      assert.deepEqual(JSON.parse(read(run, leg.id, 'summary.json')), leg);
      if (!leg.connections) continue;
      const samples = read(run, leg.id, 'samples.ndjson').trim().split('\n').map((line) => JSON.parse(line));
      for (const sample of samples) assert.equal(admitsSample(sample), true, JSON.stringify(admitsSample.errors));
      const sum = (/** @type {(sample: any) => number} */ of) => samples.reduce((all, sample) => all + of(sample), 0);
      const { attempts, rejects, errors, transfers, log } = leg;
      assert.equal(attempts.total, attempts.opened + attempts.rejected + attempts.abandoned);
      assert.equal(log.rows + log.missing, transfers.count + transfers.failed + transfers.unfinished);
      assert.equal(sum(({ counters }) => counters.transfers), transfers.count);
      assert.equal(sum(({ histograms }) => histograms.responseTime?.count ?? 0), transfers.count);
      assert.equal(sum(({ rejects: causes }) => causes.refused), rejects.refused);
      assert.equal(sum(({ errors: causes }) => causes.reset + causes.closed), errors.reset + errors.closed);
      const file = path.join(run, leg.id, 'transfers.parquet');
      if (!existsSync(file)) continue;
      const bytes = readFileSync(file);
      const { num_rows: rows } = parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
      assert.equal(Number(rows), log.rows);
    }
    assert.ok(existsSync(path.join(folder, 'report', `${id}.html`)));
    assert.ok(existsSync(path.join(folder, 'report', 'index.html')));
    return { summary, legs: summary.legs, run };
  }

  it('measures two servers, one after another, and its books agree', async () => {
    const { ended, said } = start(['--servers', 'epoll,select']);
    assert.deepEqual(await ended, { code: 0, signal: null }, said.err);
    const { summary, legs } = audit();
    assert.equal(summary.complete, true);
    for (const leg of legs) {
      assert.deepEqual([leg.connections.asked, leg.connections.openAtEnd, leg.endedBy, leg.log.missing],
        [20, 20, 'plan', 0]);
      assert.ok(leg.steady.transfers > 0 && leg.transfers.bytesReceived >= leg.transfers.count * 1024);
    }
    assert.match(said.out, /steady +0 +20/);
    assert.match(said.out, /epoll +select\n/);
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(said.out, /\u001b|\r/);
  });

  it('with --json prints the summary and nothing else', async () => {
    const { ended, said } = start(['--servers', 'epoll', '--json', '--transferLog', 'none']);
    assert.deepEqual(await ended, { code: 0, signal: null }, said.err);
    const { summary } = audit();
    assert.deepEqual(JSON.parse(said.out), summary);
    assert.equal(summary.legs[0].log.rows, 0);
  });

  it('goes on after a server that dies at its start, and exits with 1', async () => {
    const { ended, said } = start(['--command', 'echo no such luck on {port} >&2; exit 7']);
    assert.deepEqual(await ended, { code: 1, signal: null });
    const { legs } = audit();
    assert.equal(legs[0].endedBy, 'server-start');
    assert.match(legs[0].message, /no such luck/);
    assert.match(said.out, /no such luck/);
  });

  it('books a server\'s death as errors and rejects, and ends in time', async () => {
    const { ended, says, run } = { ...start(['--servers', 'epoll', '--duration', '3s']), run: () => audit() };
    await says(/(ramp|steady) +0 +20/);
    const { pid } = serverOf(folder);
    process.kill(pid, 'SIGKILL');
    assert.deepEqual(await ended, { code: 0, signal: null });
    const { legs: [leg] } = run();
    assert.equal(leg.endedBy, 'plan');
    assert.equal(leg.errors.reset + leg.errors.closed, 20);
    assert.ok(leg.rejects.refused > 0);
    assert.match(leg.warnings.join(), /server ended in mid-leg/);
  });

  for (const [signal, code] of /** @type {const} */ ([['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 143]])) {
    it(`drains and reports on ${signal}, and exits with ${code}`, async () => {
      const { child, ended, says } = start(['--servers', 'epoll,select', '--duration', '20s']);
      await says(/steady +0 +20/);
      child.kill(signal);
      assert.deepEqual(await ended, { code, signal: null });
      const { summary, legs } = audit();
      assert.deepEqual([summary.complete, summary.endedBy, legs.length], [false, 'interrupted', 1]);
      assert.deepEqual([legs[0].endedBy, legs[0].log.missing], ['interrupted', 0]);
    });
  }

  it('outlives the reader of its output', async () => {
    const { child, ended } = start(['--servers', 'epoll']);
    child.stdout.destroy();
    assert.deepEqual(await ended, { code: 0, signal: null });
    assert.equal(audit().summary.complete, true);
  });

  it('leaves no worker and no server behind when it is killed', async () => {
    const { child, ended, says } = start(['--servers', 'epoll', '--duration', '20s']);
    await says(/steady +0 +20/);
    const family = descendants(/** @type {number} */ (child.pid));
    assert.ok(family.length >= 3, `${family}`);
    child.kill('SIGKILL');
    await ended;
    const deadline = performance.now() + 10_000;
    while (family.some(lives)) {
      assert.ok(performance.now() < deadline, `still there: ${family.filter(lives)}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
});

/** @param {number} pid */
function lives(pid) {
  try {
    return !/^State:\s+Z/m.test(read('/proc', String(pid), 'status'));
  } catch {
    return false;
  }
}

/** @param {number} pid @returns {number[]} every process below it */
function descendants(pid) {
  const below = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((one) => {
    try {
      return Number(/^PPid:\s+(\d+)/m.exec(read('/proc', String(one), 'status'))?.[1]) === pid;
    } catch {
      return false;
    }
  });
  return below.flatMap((one) => [one, ...descendants(one)]);
}

/** @param {string} folder the test's, which names the run's command line @returns {{ pid: number }} its epoll server */
function serverOf(folder) {
  const primary = descendants(process.pid).find((pid) => read('/proc', String(pid), 'cmdline').includes(folder));
  const pid = descendants(primary ?? 0).find((one) => read('/proc', String(one), 'comm').trim() === 'epoll');
  assert.ok(pid, 'no epoll server runs');
  return { pid };
}
