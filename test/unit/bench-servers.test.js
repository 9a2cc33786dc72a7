// The pure parts of the bench servers: contests, how other servers are started, placement, ratios and tables.

import assert from 'node:assert/strict';
import { EnvironmentError, UsageError } from '../../client/errors.js';
import { CONTESTS, CONTEST_NAMES, SERVERS, cellsOf } from '../bench/servers/contests.js';
import { coresUsed } from '../bench/servers/cores.js';
import { entrantsHere, serverNames } from '../bench/servers/entrants.js';
import { ECHO_VARIABLE, FOREIGN, echoCommandsIn } from '../bench/servers/foreign.js';
import { markdownOf } from '../bench/servers/markdown.js';
import { placementText, placesOf } from '../bench/servers/placement.js';
import { EQUALLY_FAST, NOT_SLOWER, mustsOf, resultsOf } from '../bench/servers/result.js';
import { keeps } from '../bench/must.js';
import { conditions } from '../fixtures/bench-conditions.js';

/** @param {string} name @param {Record<string, any>} [more] */
const found = (name, more = {}) => ({
  name,
  available: true,
  protocols: ['echo', 'http'],
  manifest: { options: { threads: ['--threads', '{value}'] } },
  ...more,
});

const all = ['epoll', 'io_uring', 'libuv', 'multi-reactor', 'rust-tokio', 'go'].map((name) => found(name));

/** @param {Record<string, any>} [more] @returns {any} a machine that has everything, with these changes */
const here = (more = {}) => ({
  find: (/** @type {string} */ program) => `/usr/bin/${program}`,
  known: all,
  cpus: 4,
  env: {},
  ...more,
});

const everything = { contests: CONTEST_NAMES, servers: SERVERS };

/** @param {any} map of entrants @param {string} contest @returns {string[]} */
const namesIn = (map, contest) => (map.get(contest) ?? []).map((/** @type {any} */ { name }) => name);

describe('the contests of the bench servers', () => {
  it('have two sides without a common server', () => {
    for (const { ours, theirs } of Object.values(CONTESTS)) {
      assert.ok(ours.length > 0 && theirs.length > 0);
      assert.deepEqual(
        ours.filter((name) => theirs.includes(name)),
        [],
      );
    }
  });

  it('are measured at each number of connections, echo at each payload', () => {
    const cells = cellsOf({ contests: ['echo', 'http'], connections: [1, 100], payloads: [64, 1024] });
    assert.deepEqual(cells[0], { contest: 'echo', connections: 1, payloadBytes: 64 });
    assert.deepEqual(cells.slice(4), [
      { contest: 'http', connections: 1 },
      { contest: 'http', connections: 100 },
    ]);
    assert.equal(cells.length, 6);
  });

  it("include all servers when everything is installed, with the contest's number of threads", () => {
    const { entrants, notes } = entrantsHere(everything, here());
    assert.deepEqual(notes, []);
    for (const contest of CONTEST_NAMES) {
      const { ours, theirs } = CONTESTS[contest];
      assert.deepEqual(namesIn(entrants, contest), [...ours, ...theirs]);
    }
    const startOf = (/** @type {any} */ contest, /** @type {string} */ name) =>
      entrants.get(contest)?.find((one) => one.name === name)?.start;
    assert.deepEqual(startOf('echo', 'epoll'), { name: 'epoll', options: {} });
    assert.deepEqual(startOf('echo', 'go'), { name: 'go', options: { threads: 1 } });
    assert.deepEqual(startOf('echo-all', 'go'), { name: 'go', options: { threads: 4 } });
    assert.deepEqual(startOf('http-all', 'multi-reactor'), { name: 'multi-reactor', options: { threads: 4 } });
    assert.match(JSON.stringify(startOf('http', 'nginx')), /worker_processes 1;.*\/usr\/bin\/nginx/);
    assert.match(JSON.stringify(startOf('http-all', 'nginx')), /worker_processes 4;.* reuseport/);
    assert.match(JSON.stringify(startOf('http-all', 'haproxy')), /nbthread 4/);
  });

  it('continue without what is missing, and state the reason', () => {
    const known = [
      found('epoll'),
      found('io_uring', { available: false, why: 'no io_uring here', remedy: 'take another kernel' }),
      found('libuv', { protocols: ['echo'] }),
      found('go', { manifest: { options: {} } }),
    ];
    const find = (/** @type {string} */ program) =>
      ['wrk', 'nginx'].includes(program) ? `/usr/sbin/${program}` : null;
    const { entrants, notes } = entrantsHere(
      everything,
      here({ known, find, env: { [`${ECHO_VARIABLE}X`]: 'x {port}' } }),
    );
    assert.deepEqual([...entrants.keys()], ['http']);
    assert.deepEqual(namesIn(entrants, 'http'), ['epoll', 'nginx']);
    for (const said of [
      'io_uring is left out: no io_uring here; take another kernel.',
      'libuv is left out: it does not speak http.',
      'sockperf is left out: it is not installed (apt-get install sockperf).',
      'go is left out: its number of threads cannot be set.',
      'rust-tokio is left out: there is no server of that name in servers/.',
    ]) {
      assert.ok(notes.includes(said), `${said}\n${notes.join('\n')}`);
    }
    assert.equal(notes.filter((note) => note.startsWith('io_uring')).length, 1);
  });

  it('use wrk over HTTP', () => {
    const find = (/** @type {string} */ program) => (program === 'wrk' ? null : `/usr/bin/${program}`);
    const { entrants, notes } = entrantsHere(everything, here({ find }));
    assert.deepEqual([...entrants.keys()], ['echo', 'echo-all']);
    assert.deepEqual(notes, ['Nothing over HTTP: wrk is not installed (apt-get install wrk).']);
  });

  it('are those of which both sides were selected', () => {
    const { entrants } = entrantsHere({ ...everything, servers: ['libuv', 'go', 'haproxy'] }, here());
    assert.deepEqual([...entrants.keys()], ['echo', 'http']);
    assert.throws(() => entrantsHere({ ...everything, servers: ['libuv'] }, here()), UsageError);
    const none = here({ find: () => null, known: [] });
    assert.throws(
      () => entrantsHere(everything, none),
      (error) => {
        return (
          error instanceof EnvironmentError &&
          /^nothing can be compared here\n.*sockperf is left out/s.test(error.message)
        );
      },
    );
  });
});

describe('the counterparts of the bench servers', () => {
  it("are started on the launcher's port by commands that quote their arguments", () => {
    for (const { command } of Object.values(FOREIGN)) {
      const text = command("/opt/it's/program", 2);
      assert.ok(text.includes('{host}:{port}') && text.includes('{folder}'));
      assert.ok(text.includes(String.raw`'/opt/it'\''s/program'`));
    }
  });

  it('can be set by the environment', () => {
    const env = { [`${ECHO_VARIABLE}MINE`]: '/x/mine --port {port}', [`${ECHO_VARIABLE}NONE`]: '', PATH: '/bin' };
    assert.deepEqual([...echoCommandsIn(env, SERVERS)], [['mine', '/x/mine --port {port}']]);
    assert.ok(serverNames(env).includes('mine') && serverNames({}).every((name) => name !== 'mine'));
    const { entrants } = entrantsHere({ contests: CONTEST_NAMES, servers: serverNames(env) }, here({ env }));
    const its = CONTEST_NAMES.filter((contest) => namesIn(entrants, contest).includes('mine'));
    assert.deepEqual(its, ['echo', 'echo-all']);
  });

  it('are rejected with a reason when the environment sets them wrongly', () => {
    for (const [name, command, reason] of [
      ['MINE', '/x/mine', /MINE=\/x\/mine: there is no \{port\} in the command/],
      ['GO', '/x/mine {port}', /go is a server of this bench/],
      ['', '/x/mine {port}', /no name after/],
    ]) {
      const env = { [`${ECHO_VARIABLE}${name}`]: String(command) };
      assert.throws(
        () => echoCommandsIn(env, SERVERS),
        (error) => {
          return error instanceof EnvironmentError && /** @type {RegExp} */ (reason).test(error.message);
        },
      );
    }
  });
});

describe('the placement of the bench servers', () => {
  it('keeps a single-threaded server and the client on different CPUs if there are two', () => {
    assert.deepEqual(placesOf('apart', 'one', [2, 3, 5]), { serverCpu: '2', clientCpu: '5' });
    const nowhere = { serverCpu: null, clientCpu: null };
    assert.deepEqual(placesOf('apart', 'all', [2, 3]), nowhere);
    assert.deepEqual(placesOf('apart', 'one', [2]), nowhere);
    assert.deepEqual(placesOf('shipped', 'one', [2, 3]), nowhere);
    assert.match(placementText('apart', [0, 1]), /on CPU 0 and the client on CPU 1/);
    assert.equal(placementText('shipped', [0, 1]), 'the kernel places both sides');
  });
});

describe('the CPU of a server', () => {
  const readings = [0, 1, 2, 3, 4].map((i) => ({ atNs: i * 1e9, cpuSeconds: i < 3 ? i / 2 : 1 }));

  it('is the rate between the readings in the window', () => {
    assert.equal(coresUsed(readings, 0, 2e9), 0.5);
    assert.equal(coresUsed(readings, 0.5e9, 3.5e9), 0.25);
  });

  it('needs two readings', () => {
    assert.throws(() => coresUsed(readings, 0.5e9, 1.5e9), /read 1 times in the window/);
    assert.throws(() => coresUsed([], 0, 1e9), /read 0 times/);
  });
});

describe('the results of the bench servers', () => {
  const cells = [
    { contest: /** @type {const} */ ('echo'), connections: 100, payloadBytes: 64 },
    { contest: /** @type {const} */ ('http'), connections: 100 },
  ];
  const speeds = { epoll: 100_000, libuv: 80_000, sockperf: 90_000 };
  const measurements = [1, 2, 3].flatMap((round) =>
    Object.entries(speeds).map(([client, speed]) => ({
      cell: JSON.parse(JSON.stringify(cells[0])),
      round,
      client,
      figures: { roundTrips: 2 * speed * round, seconds: 2, cpuSeconds: client === 'sockperf' ? 2 : 1 },
    })),
  );
  const results = resultsOf({ conditions, cells, clients: ['go', ...Object.keys(speeds)], measurements });

  it('compare ours with each counterpart within a round', () => {
    assert.equal(results.length, 1);
    const [{ servers, pairs }] = results;
    assert.deepEqual(
      servers.map(({ name }) => name),
      ['epoll', 'libuv', 'sockperf'],
    );
    assert.deepEqual(servers[0], { name: 'epoll', perSecond: 200_000, cost: 2.5, cores: 0.5 });
    assert.deepEqual(
      pairs.map(({ ours, theirs }) => `${ours} ${theirs}`),
      ['epoll sockperf', 'libuv sockperf'],
    );
    assert.deepEqual(
      pairs.map(({ speed }) => speed.median),
      [0.9, 1.125],
    );
    assert.ok(Math.abs((pairs[0]?.cpu.high ?? NaN) - 0.45) < 1e-9);
  });

  it('violate the requirement where ours is slower', () => {
    const [{ pairs }] = results;
    assert.ok(EQUALLY_FAST > 1 && EQUALLY_FAST <= 1.05);
    assert.deepEqual(
      pairs.map((pair) => keeps(NOT_SLOWER, pair)),
      [true, false],
    );
    assert.deepEqual(
      mustsOf(results).map(({ name }) => name),
      ['Echo, one thread each: sockperf / ours'],
    );
  });

  it('are printed in one table per contest', () => {
    const text = markdownOf(results, conditions);
    assert.match(text, /\| Echo, one thread each: sockperf \/ ours \| 1\.05 \| 1 of 2 \| 1 \| 1 \| 0 \|/);
    assert.match(text, /\| 100 \| 64 B \| epoll \| 200\.0 \| 2\.50 \| 0\.50 \|/);
    assert.match(text, /\| 100 \| 64 B \| epoll \| 0\.90 \(0\.90\.\.0\.90\) \|/);
    assert.match(text, /\| 100 \| 64 B \| libuv \| \*\*1\.13 \(1\.13\.\.1\.13\)\*\* \|/);
    assert.match(text, /\| 100 \| 64 B \| libuv \| 0\.56 \(0\.56\.\.0\.56\) \|/);
  });

  it('have no column of payloads over HTTP', () => {
    const [http] = cells.slice(1);
    const [{ pairs, ...echo }] = results;
    const pages = { ...echo, cell: http, pairs: pairs.map((pair) => ({ ...pair, cell: http })) };
    const text = markdownOf([pages], conditions);
    assert.match(text, /\| connections \| ours \| sockperf \|/);
    assert.match(text, /#### HTTP, one thread each/);
  });
});
