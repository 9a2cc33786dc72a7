// Secrets, however given, are in nothing that is stored, printed or inherited, even if a server repeats them.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { requestOf } from '../../client/commands/options.js';
import { perform } from '../../client/commands/program.js';
import * as stress from '../../client/commands/stress.js';
import {
  allSecrets,
  keptSecrets,
  replacerOfKept,
  takeSecrets,
  withoutKept,
} from '../../client/protocols/kept-secrets.js';
import { loadScenario } from '../../client/scenario/scenario.js';
import { createLogger, LineLimit } from '../../client/store/event-log.js';
import { LinesFile } from '../../client/store/lines-file.js';
import { RunFolder } from '../../client/store/run-folder.js';
import { masked, secretsIn, withoutSecrets } from '../../client/words/secrets.js';
import { uniform } from '../fixtures/random-numbers.js';
import { refused } from '../fixtures/refused.js';

const URL = 'https://127.0.0.1:1/';
const SECRET = 'SeKrEt1234567';
const { BROADSIDE_SEED } = process.env;
const SEEDS = BROADSIDE_SEED ? [Number(BROADSIDE_SEED)] : [1, 2, 3, 4];

/** @param {string[]} words @returns {Promise<any>} the scenario that they name, as a run stores it */
async function scenarioOf(words) {
  /** @type {any} */
  let given;
  const load = async () => ({ ...stress, handler: (/** @type {any} */ argv) => void (given = argv) });
  await perform(['stress', ...words], [{ name: 'stress', positionals: '[url]', describe: '', load }]);
  const { config, flags = {} } = requestOf(given).scenario ?? {};
  return loadScenario({ config, flags });
}

/**
 * Characters of tokens: hexadecimal, base64 with padding's signs, of a JWT, and all that a cookie and a URL may have.
 */
const ALPHABETS = ['0123456789abcdef', 'ABCabcXYZxyz0189+/', 'ABCxyz019-_.', 'aZ0!#$%&()*+-./:<>?@[]^_`|~=,\'\\"'];

/** @param {() => number} random @param {string} alphabet */
const tokenOf = (random, alphabet) =>
  `k${Array.from({ length: 9 + Math.floor(random() * 30) }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')}k`;

/** Headers with a token. @type {((token: string) => [name: string, value: string])[]} */
const HEADERS = [
  (token) => ['Authorization', `Bearer ${token}`],
  (token) => ['authorization', `Basic ${Buffer.from(`ann:${token}`).toString('base64')}`],
  (token) => ['Cookie', `theme=dark; session=${token}`],
  (token) => ['X-Api-Key', token],
];

/** Ways to give a header on a command line. @type {((header: string) => string[])[]} */
const FLAGS = [
  (header) => ['-H', header],
  (header) => [`-H${header}`],
  (header) => [`-H=${header}`],
  (header) => ['--H', header],
  (header) => ['-kH', header],
  (header) => ['-ksH', header],
  (header) => [`-sH${header}`],
  (header) => ['--header', header],
  (header) => [`--header=${header}`],
  (header) => ['--http.headers', header],
  (header) => [`--http.headers=${header}`],
];

/** Files of a scenario with a header. @type {((header: [name: string, value: string]) => any)[]} */
const FILES = [
  ([name, value]) => ({ target: URL, http: { headers: { [name]: value } } }),
  ([name, value]) => ({ target: URL, http: { headers: { [name]: ['a', value] } } }),
  ([name, value]) => ({ target: URL, http: { requests: [{ path: '/', headers: { [name]: value } }] } }),
  ([name, value]) => ({ target: URL, tests: [{ as: 'a', http: { headers: { [name]: value } } }] }),
  ([name, value]) => ({ target: 'ws://127.0.0.1:1/', websocket: { headers: { [name]: value } } }),
];

/** Lists of requests with a header. @type {((header: [name: string, value: string]) => string)[]} */
const LISTS = [
  ([name, value]) => JSON.stringify([{ path: '/', headers: { [name]: value } }]),
  ([name, value]) => `GET ${URL}\n${name}: ${value}\n`,
  ([name, value]) =>
    JSON.stringify({ log: { entries: [{ request: { method: 'GET', url: URL, headers: [{ name, value }] } }] } }),
];

describe('a secret', () => {
  /** @type {string} */
  let folder;
  beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'broadside-secrets-'))));
  afterEach(() => {
    rmSync(folder, { recursive: true });
    for (const name of Object.keys(keptSecrets)) delete keptSecrets[name];
  });

  /** @param {string} name @param {string} text @returns {string} the path of a file */
  function file(name, text) {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  }

  /**
   * @param {string} token @param {() => number} random that chooses the headers
   * @returns {{ words: string[], value: string }[]} command lines of all ways to give it; value: as it is sent
   */
  function waysToGive(token, random) {
    /** @param {(header: [name: string, value: string], i: number) => string[]} wordsOf */
    const way = (wordsOf) => (/** @type {any} */ _, /** @type {number} */ i) => {
      const header = HEADERS[Math.floor(random() * HEADERS.length)](token);
      return { words: wordsOf(header, i), value: header[1] };
    };
    const redis = { target: 'redis://127.0.0.1:1/', redis: { password: token } };
    const passwords = [
      ['redis://127.0.0.1:1', '--redis.password', token],
      ['redis://127.0.0.1:1', `--redis.password=${token}`],
      ['--config', file('redis.json', JSON.stringify(redis))],
    ];
    return [
      ...FLAGS.map(way(([name, value], i) => [URL, ...FLAGS[i](`${name}: ${value}`)])),
      ...FILES.map(way((header, i) => ['--config', file(`${i}.json`, JSON.stringify(FILES[i](header)))])),
      ...LISTS.map(way((header, i) => [URL, '--requests-from', file(`${i}.txt`, LISTS[i](header))])),
      ...[0].map(
        way(([name, value]) => {
          takeSecrets({ BROADSIDE_HTTP_MINE: value });
          return [URL, '-H', `${name}: $BROADSIDE_HTTP_MINE`];
        }),
      ),
      ...passwords.map((words) => ({ words, value: token })),
    ];
  }

  /** @param {string} token @param {string} value @returns {string[]} what a server may say of it */
  const repeated = (token, value) => [
    ...[`HTTP/1.1 401 ${value}`, `no ${token}.`, `NO ${token.toUpperCase()}`, `{"token": ${JSON.stringify(token)}}`],
    ...[`Location: /login?token=${encodeURIComponent(token)}&a=b`, `ann:${token}`, `session=${token}; Path=/`],
    token,
  ];

  /** @param {string[]} said by a server @returns {string[]} what the files have that a run writes with it */
  function filesOf(said) {
    const run = new RunFolder(mkdtempSync(path.join(folder, 'run-')), 'run');
    run.writeJson('summary.json', { quotes: said.map((text) => ({ text })) });
    run.writeText('junit.xml', said.join('\n'));
    new LinesFile(run, 'samples.ndjson').add({ said });
    const { log, close } = createLogger(path.join(run.folder, 'events.ndjson'), assert.fail);
    for (const text of said) log.info({ data: { said } }, text);
    close();
    const files = readdirSync(run.folder);
    assert.equal(files.length, 4);
    return files.map((name) => readFileSync(path.join(run.folder, name), 'utf8'));
  }

  it(`is in nothing that is written, whichever way it is given: ${SEEDS.length} seeds`, async () => {
    for (const seed of SEEDS) {
      const random = uniform(seed);
      const token = tokenOf(random, ALPHABETS[seed % ALPHABETS.length]);
      for (const [i, { words, value }] of waysToGive(token, random).entries()) {
        const told = `BROADSIDE_SEED=${seed}: ${JSON.stringify(words)}`;
        const scenario = await scenarioOf(words);
        const shown = withoutSecrets(words, keptSecrets);
        const said = repeated(token, value);
        const quotes = said.map((text) => masked(Buffer.from(text).toString('latin1'), allSecrets(), false));
        const stored = i === seed % FLAGS.length ? filesOf(said) : [];
        const json = JSON.stringify([scenario, shown, said], replacerOfKept());
        for (const text of [...stored, json, withoutKept(said.join('\n')), ...quotes]) {
          for (const form of [token, encodeURIComponent(token), JSON.stringify(token).slice(1, -1), value]) {
            assert.ok(!text.toLowerCase().includes(form.toLowerCase()), `${told}: ${form} in ${text}`);
          }
        }
        assert.deepEqual(await scenarioOf(shown), scenario, `${told}: what ${shown} measures again`);
      }
    }
  });

  it('is masked in its parts of 8 characters and more, and leaves other texts and names of variables alone', () => {
    const mask = (/** @type {string} */ value, /** @type {string} */ text) =>
      masked(text, secretsIn({ BROADSIDE_HTTP_A: value }), false).replaceAll('$BROADSIDE_HTTP_A', '@');
    for (const [value, text, expected] of [
      ['Bearer abcdefgh', 'Bearer abcdefgh, abcdefgh ABCDEFGH bearer abc', '@, @ @ bearer abc'],
      ['Basic YW5uOmh1bnRlcjIyMg==', 'ann:hunter222 hunter222 YW5uOmh1bnRlcjIyMg== ann', '@ @ @ ann'],
      ['a=1; b=12345678; c="quoted-text"', 'b=12345678 12345678 quoted-text a=1', '@ @ @ a=1'],
      ['short', 'short SHORT', '@ SHORT'],
      ['abc', 'abc', 'abc'],
      ['http_a12', '$BROADSIDE_HTTP_A http_a12', '@ @'],
    ]) {
      assert.equal(mask(value, text), expected, value);
    }
    assert.equal(masked('x ABCDe', secretsIn({ A: 'abcdefgh' }), true), 'x ');
  });

  it('is in no command line that is stored or printed, however short it is', () => {
    Object.assign(keptSecrets, { BROADSIDE_HTTP_X_API_KEY: 'a', BROADSIDE_HTTP_X_API_KEY_2: 'b1' });
    for (const flagOf of FLAGS) {
      const words = ['stress', ...flagOf('X-Api-Key: b1'), ...flagOf('X-Other: b1'), 'http://b1:1/'];
      const expected = [flagOf('X-Api-Key: $BROADSIDE_HTTP_X_API_KEY_2'), flagOf('X-Other: b1')].flat();
      assert.deepEqual(withoutSecrets(words, keptSecrets), ['stress', ...expected, 'http://b1:1/']);
    }
  });

  it('is in no line that is cut', () => {
    keptSecrets.BROADSIDE_HTTP_A = SECRET;
    /** @type {string[]} */
    const lines = [];
    new LineLimit((line) => void lines.push(line)).add(`${'x'.repeat(490)}${SECRET}`);
    assert.deepEqual(lines, [`${'x'.repeat(490)}$BROADSIDE ...`]);
  });

  it('that is a word of Broadside leaves the files of a run readable', () => {
    keptSecrets.BROADSIDE_REDIS_PASSWORD = 'websocket';
    const run = new RunFolder(folder, 'x');
    run.writeJson('plan.json', { protocol: 'websocket', id: '01-websocket', text: 'my websocket', second: 1 });
    assert.deepEqual(JSON.parse(readFileSync(path.join(folder, 'plan.json'), 'utf8')), {
      ...{ protocol: 'websocket', id: '01-websocket', text: 'my $BROADSIDE_REDIS_PASSWORD', second: 1 },
    });
  });

  it('is taken out of the environment that other processes inherit', () => {
    const env = { BROADSIDE_HTTP_A: 'a', BROADSIDE_REDIS_PASSWORD: 'b', BROADSIDE_SEED: '1', PATH: '/bin' };
    takeSecrets(env);
    assert.deepEqual(env, { BROADSIDE_SEED: '1', PATH: '/bin' });
    assert.deepEqual(keptSecrets, { BROADSIDE_HTTP_A: 'a', BROADSIDE_REDIS_PASSWORD: 'b' });
  });

  it('is in no message of a mistake', async () => {
    let files = 0;
    const config = (/** @type {string} */ text) => ['stress', '--config', file(`${(files += 1)}.json`, text)];
    const list = (/** @type {string} */ text) => ['stress', URL, '--requests-from', file(`${(files += 1)}.txt`, text)];
    const login = `u:${SECRET}@127.0.0.1:1`;
    /** @type {[string[], string][]} */
    const rows = [
      [config(`{"target": "${URL}", "headers": {"Authorization": "${SECRET}"}}`), 'unknown-key'],
      [config(`{"target": "${URL}", "http": {"Authorization": "${SECRET}"}}`), 'unknown-key'],
      [config(`{"target": "${URL}", "http": {"Authorization: ${SECRET}": true}}`), 'unknown-key'],
      [config(`{"target": "${URL}", "redis": {"passwort": "${SECRET}"}}`), 'unknown-key'],
      [config(`{"target": "${URL}", "sweep": {"redis.password": ["${SECRET}"]}}`), 'key-not-for-sweep'],
      [config(`{"target": "${URL}", "http": {"headers": "Cookie: ${SECRET}"}}`), 'wrong-value'],
      [config(`{"target": "${URL}", "http": {"headers": ["Basic ${SECRET}"]}}`), 'wrong-value'],
      [config(`{"target": "${URL}", "http": {"headers": {"Authorization: ${SECRET}": "a"}}}`), 'wrong-value'],
      [config(`{"target": "${URL}", "http": {"headers": [{"name": "Cookie", "value": "${SECRET}"}]}}`), 'wrong-value'],
      [config(`{"target": "${URL}", "http": {"headers": {"Cookie": {"a": "${SECRET}"}}}}`), 'wrong-value'],
      [config(`{"target": "${URL}", "http": {"headers": {"Cookie": ${SECRET}}}}`), 'EJSON'],
      [config(`{"target": "http://${login}/"}`), 'url-login'],
      [config(`{"target": "${login}"}`), 'ETARGET'],
      [list(`[{"headers": "Authorization: ${SECRET}"}]`), 'wrong-value'],
      [list(`[{"header": {"Authorization": "${SECRET}"}}]`), 'unknown-key'],
      [list(`[{"headers": {"Authorization": ${SECRET}}}]`), 'EREQUESTFILE'],
      [['stress', `http://${login}/`, '--target', `http://${login}/`], 'ETWICE'],
      [['stress', '--target', `http://u:${SECRET}/x@127.0.0.1:1/`], 'url'],
      [['stress', `http://127.0.0.1:1/`, '--redis.password', SECRET, '--redis.password', SECRET], 'ETWICE'],
      [['stress', URL, '-H', 'Authorization:', 'Bearer', SECRET], 'unknown-argument'],
      [['stress', URL, '-kHAuthorization:', SECRET], 'unknown-argument'],
      [['stress', URL, '-H', SECRET], 'header-without-colon'],
      [['stress', URL, '-H', `Authorization ${SECRET}`], 'header-without-colon'],
      [[login], 'unknown-command'],
      [['stress', '--target', 'nats://127.0.0.1:1', '--nats.token', SECRET], 'ELOGIN'],
      [['stress', URL, '--nats', `http://u:${SECRET}@h`, '--agents', '2'], 'EOPTION'],
      [['stress', URL, '--nats', 'nats://h', '--nats-token', SECRET, '--agents', '2'], 'EOPTION'],
      [['stress', URL, '--otlp', `http://u:%${SECRET}@h:70000/`], 'EOPTION'],
      [['stress', URL, '--otlp', `ftp://u:${SECRET}@h/`], 'EOPTION'],
    ];
    for (const [words, code] of rows) {
      const error = await refused(words);
      const codes = [error.code, ...(error.data.mistakes ?? []).map((/** @type {any} */ mistake) => mistake.code)];
      assert.ok(codes.includes(code), `${words.join(' ')}: ${codes.join(' ')}`);
      assert.equal(error.exitCode, 2);
      assert.ok(!JSON.stringify(error).includes(SECRET), JSON.stringify(error));
    }
  });

  it('has its placeholders checked, and not quoted', async () => {
    const list = file('list.json', JSON.stringify([{ headers: { Cookie: `${SECRET} {random:9-1}` } }]));
    takeSecrets({ BROADSIDE_HTTP_MINE: `${SECRET} {sequence:1}` });
    for (const words of [
      ['-H', `Authorization: ${SECRET} {random:9-1}`],
      ['-H', 'Cookie: $BROADSIDE_HTTP_MINE'],
      ['--requests-from', list],
    ]) {
      const { exitCode, data, text } = await refused(['stress', URL, ...words, '--dry-run']);
      assert.deepEqual([exitCode, data.mistakes[0].code], [2, 'no-placeholder'], text);
      assert.doesNotMatch(JSON.stringify([data, text]), /SeKrEt|9-1|sequence:1/);
    }
  });
});
