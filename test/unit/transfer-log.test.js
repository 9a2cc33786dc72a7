// Converts Arrow streams, complete and cut anywhere, to Parquet, and reads them back.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { seededRandom } from '../../client/measure/random.js';
import { readBatches } from '../../client/store/transfer-log/arrow-stream.js';
import { toParquet } from '../../client/store/transfer-log/convert.js';
import { arrowName, endTransferLog, engineOfLog, splitsName } from '../../client/store/transfer-log/index.js';
import { codesOf, factsOf } from '../fixtures/codes.js';
import { arrowBytes, writeArrowLog, writeSplits } from '../fixtures/arrow-log.js';

/** @import { Row } from '../fixtures/arrow-log.js' */

/** @param {number} count @param {number} from @returns {Row[]} beyond 2^31 ns, with every status */
const rowsFrom = (count, from) =>
  Array.from(
    { length: count },
    (_, i) =>
      /** @type {Row} */ ([
        BigInt(from + i) * 5_000_000_007n,
        BigInt(((i * 7919) % 1000) * 4_000_000_000),
        (from + i) % 80_000,
        i % 7,
        i % 2 === 0 ? 200 : 503,
        i % 3,
      ]),
  );

/** @param {string} file @param {number} [rowStart] @param {number} [rowEnd] @returns {Promise<Row[]>} */
async function readParquet(file, rowStart, rowEnd) {
  const objects = await parquetReadObjects({ file: new Uint8Array(readFileSync(file)).buffer, rowStart, rowEnd });
  return objects.map(({ start, response, connection, status, code, request }) => [
    start,
    response,
    connection,
    status,
    code,
    request,
  ]);
}

describe('transfer log', () => {
  /** @type {string} */
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'broadside-log-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** @param {string} name */
  const at = (name) => path.join(folder, name);
  /** @param {string} name @param {number} rows @param {object} [more] */
  const file = (name, rows, more) => ({ path: at(name), rows, whole: true, ...more });
  const cut = { whole: false };
  /** @param {ReturnType<typeof file>[]} files @param {Partial<Parameters<typeof endTransferLog>[0]>} [task] */
  const end = (files, task) => endTransferLog({ kind: 'parquet', folder, files, metadata: { run: 'r' }, ...task });
  const bytesOf = (/** @type {string} */ name) => new Uint8Array(readFileSync(at(name))).buffer;

  it('with damaged bytes gives no more rows than it has, or says that it is damaged', () => {
    const whole = arrowBytes([rowsFrom(20, 0), rowsFrom(5, 20)]);
    const random = seededRandom(1);
    const below = (/** @type {number} */ limit) => Math.floor(random() * limit);
    let refused = 0;
    for (let tried = 0; tried < 200; tried += 1) {
      const bytes = Uint8Array.from(whole);
      for (let damaged = below(3); damaged >= 0; damaged -= 1) bytes[below(bytes.length)] = below(256);
      writeFileSync(at('damaged'), bytes.subarray(0, below(5) === 0 ? below(bytes.length) : bytes.length));
      try {
        const batches = [...readBatches(at('damaged'))];
        const rows = batches.reduce((sum, { batch }) => sum + batch.rows, 0);
        assert.ok(rows <= 25, `${rows} rows`);
      } catch (error) {
        assert.match(String(error), /^TypeError: the transfer log /);
        refused += 1;
      }
    }
    assert.ok(refused > 20 && refused < 180, `${refused} of 200 refused`);
  });

  it('becomes one Parquet file with every row, and the Arrow files are deleted', async () => {
    const batches = [rowsFrom(1000, 0), rowsFrom(1, 1000), rowsFrom(37, 1001)];
    writeArrowLog(at('a'), batches);
    writeArrowLog(at('b'), [rowsFrom(500, 5000)]);
    const { rows, warnings } = await end([file('a', 1038), file('b', 500)]);
    assert.deepEqual([rows, warnings], [1538, []]);
    assert.deepEqual(readdirSync(folder), ['transfers.parquet']);
    assert.deepEqual(await readParquet(at('transfers.parquet')), [...batches.flat(), ...rowsFrom(500, 5000)]);
  });

  it('has typed columns, delta-packed, with their bounds, and its metadata', async () => {
    writeArrowLog(at('a'), [rowsFrom(3000, 0)]);
    await end([file('a', 3000)], { metadata: { 'broadside.t0.epochMs': '17' } });
    const meta = parquetMetadata(bytesOf('transfers.parquet'));
    assert.deepEqual(
      meta.schema.slice(1).map(({ name, type, repetition_type: repetition }) => `${name} ${type} ${repetition}`),
      [
        ...['start INT64 REQUIRED', 'response INT64 REQUIRED', 'connection INT32 REQUIRED', 'status INT32 REQUIRED'],
        ...['code INT32 REQUIRED', 'request INT32 REQUIRED'],
      ],
    );
    const encodings = meta.row_groups[0].columns.map(({ meta_data: column }) => column?.encodings);
    assert.deepEqual(encodings, new Array(6).fill(['DELTA_BINARY_PACKED']));
    const bounds = meta.row_groups[0].columns.map(({ meta_data: column }) => [
      column?.statistics?.min_value,
      column?.statistics?.max_value,
    ]);
    assert.deepEqual(bounds, [
      [0n, 2999n * 5_000_000_007n],
      [0n, 999n * 4_000_000_000n],
      [0, 2999],
      [0, 6],
      [200, 503],
      [0, 2],
    ]);
    assert.deepEqual(meta.key_value_metadata, [{ key: 'broadside.t0.epochMs', value: '17' }]);
  });

  it('fills row groups across batches and reports its progress', async () => {
    const all = rowsFrom(264_000, 0);
    writeArrowLog(
      at('a'),
      Array.from({ length: 3 }, (_, i) => all.slice(i * 88_000, (i + 1) * 88_000)),
    );
    /** @type {number[]} */
    const seen = [];
    const { rows } = await toParquet({ files: [file('a', 264_000)], target: at('t'), metadata: {} }, (n) =>
      seen.push(n),
    );
    assert.equal(rows, 264_000);
    assert.deepEqual(seen, [2 ** 18, 264_000]);
    for (const [from, to] of [
      [0, 2],
      [262_142, 262_146],
      [263_998, 264_000],
    ]) {
      assert.deepEqual(await readParquet(at('t'), from, to), all.slice(from, to));
    }
  });

  it('marks the transfers that began in the measured part of a slice', async () => {
    const all = rowsFrom(3000, 0);
    writeArrowLog(at('a'), [all.slice(1500), all.slice(0, 1500)]);
    const starts = all.map(([start]) => Number(start));
    const measured = Float64Array.of(starts[10], starts[20], starts[1000], starts[2000]);
    await toParquet({ files: [file('a', 3000)], target: at('t'), metadata: {}, measured });
    const rows = await parquetReadObjects({ file: bytesOf('t'), columns: ['start', 'measured'] });
    const marked = rows.flatMap((row) => (row.measured === 1 ? [Number(row.start)] : []));
    assert.deepEqual(
      marked.sort((a, b) => a - b),
      [...starts.slice(10, 20), ...starts.slice(1000, 2000)],
    );
  });

  it('keeps every complete batch of a file that was cut anywhere', async () => {
    const batches = [rowsFrom(100, 0), rowsFrom(100, 100), rowsFrom(100, 200)];
    const whole = arrowBytes(batches);
    const ends = [0, 1, 2, 3].map((n) => arrowBytes(batches.slice(0, n)).length - 8);
    for (const bytes of [
      ...[0, 3, 100, ends[0], ends[1] - 1, ends[1], ends[1] + 5, ends[2] + 300, ends[3] - 1, ends[3]],
      whole.length - 1,
    ]) {
      writeArrowLog(at('a'), batches, bytes);
      const kept = ends.filter((limit, n) => n > 0 && bytes >= limit).length * 100;
      const { rows } = await toParquet({ files: [file('a', Infinity, cut)], target: at('t'), metadata: {} });
      assert.equal(rows, kept, `cut after ${bytes} bytes`);
      assert.deepEqual((await readParquet(at('t'))).length, kept);
    }
  });

  it('leaves out what a dead worker logged after its last sample', async () => {
    writeArrowLog(at('a'), [rowsFrom(100, 0), rowsFrom(100, 100)], -60);
    const { rows, warnings } = await end([file('a', 42, cut)]);
    assert.deepEqual([rows, warnings], [42, []]);
    assert.deepEqual(await readParquet(at('transfers.parquet')), rowsFrom(42, 0));
  });

  it('reports which files were cut or are missing', async () => {
    writeArrowLog(at('a'), [rowsFrom(10, 0)], -60);
    const { rows, warnings } = await end([file('a', 10, cut), file('b', 5)]);
    assert.equal(rows, 0);
    assert.deepEqual(factsOf(warnings), [
      ['log-file-missing', { file: 'b' }],
      ['log-file-truncated', { file: 'a' }],
    ]);
  });

  it('keeps the Arrow files and no partial Parquet file when it cannot convert', async () => {
    writeArrowLog(at('a'), [rowsFrom(10, 0)]);
    const broken = Buffer.concat([arrowBytes([rowsFrom(10, 0)]).subarray(0, 60), Buffer.alloc(900, 0x41)]);
    writeFileSync(at('a-broken'), broken);
    const { kind, warnings } = await end([file('a', 10), file('a-broken', 10)]);
    assert.deepEqual(
      [kind, codesOf(warnings), warnings[0].data.kept],
      ['arrow', ['log-not-converted'], ['a', 'a-broken']],
    );
    assert.deepEqual(readdirSync(folder).sort(), ['a', 'a-broken']);
  });

  it('in Arrow format keeps complete files as they are, and repairs the file of a dead worker', async () => {
    writeArrowLog(at('a'), [rowsFrom(10, 0)]);
    writeArrowLog(at('b'), [rowsFrom(100, 0), rowsFrom(100, 100)]);
    truncateSync(at('b'), statSync(at('b')).size - 50);
    const before = readFileSync(at('a'));
    const { rows } = await end([file('a', 10), file('b', 77, cut)], { kind: 'arrow' });
    assert.equal(rows, 87);
    assert.deepEqual(readFileSync(at('a')), before);
    const table = tableFromIPC(readFileSync(at('b')));
    assert.equal(table.numRows, 77);
    const connections = rowsFrom(77, 0).map(([, , connection]) => connection);
    assert.deepEqual([...(table.getChild('connection') ?? [])], connections);
    assert.equal(existsSync(at('transfers.parquet')), false);
  });

  it('keeps the Arrow files where a time is longer than a Parquet file would hold exactly', async () => {
    writeArrowLog(at('a'), [[[0n, 2n ** 54n, 1, 0]]]);
    const { kind, warnings } = await end([file('a', 1)]);
    assert.deepEqual([kind, codesOf(warnings)], ['arrow', ['log-not-converted']]);
    assert.deepEqual(readdirSync(folder), ['a']);
  });

  it('stops on request, and leaves the Arrow files', async () => {
    writeArrowLog(at('a'), [rowsFrom(10, 0)]);
    const { warnings } = await end([file('a', 10)], { signal: AbortSignal.abort() });
    assert.deepEqual(factsOf(warnings), [['log-not-converted', { reason: 'interrupted', kept: ['a'] }]]);
    assert.deepEqual(readdirSync(folder), ['a']);
  });

  it('reports a missing folder once, without an empty list', async () => {
    const { rows, kind, warnings } = await end([file('gone/a', 10)], { folder: at('gone') });
    assert.deepEqual([rows, kind, factsOf(warnings)], [0, 'none', [['log-folder-missing', { folder: at('gone') }]]]);
  });

  it('reports a failure once, and lists nothing if nothing is kept', async () => {
    mkdirSync(at('transfers.parquet.partial'));
    const { rows, warnings } = await end([]);
    assert.equal(rows, 0);
    const [{ code, data }, ...others] = warnings;
    assert.deepEqual([code, data.kept, others], ['log-not-converted', [], []]);
    assert.match(data.reason, /^EISDIR: (?!EISDIR)/, 'the system error, once');
  });

  it('has the parts of the transfers that kernel timestamps split, each in its row', async () => {
    writeArrowLog(at('a'), [rowsFrom(262_150, 0), rowsFrom(10, 262_150)]);
    writeArrowLog(at('b'), [rowsFrom(100, 0)]);
    writeArrowLog(at('c'), [rowsFrom(5, 0)]);
    writeSplits(at('a.splits'), [
      [
        [0n, 1n, 2n, 3n],
        [262_143n, 4n, 5n, 6n],
        [262_144n, 7n, 8n, 9n],
      ],
      [[262_159n, 10n, 11n, 12n]],
    ]);
    writeSplits(at('b.splits'), [
      [
        [40n, 13n, 14n, 15n],
        [90n, 16n, 17n, 18n],
      ],
    ]);
    writeSplits(at('c.splits'), []);
    const { rows, warnings } = await end([
      file('a', 262_160, { splits: at('a.splits') }),
      file('b', 90, { splits: at('b.splits'), whole: false }), // row 90 was logged after its last sample
      file('c', 5, { splits: at('c.splits') }),
    ]);
    assert.deepEqual([rows, warnings], [262_255, []]);
    assert.deepEqual(readdirSync(folder), ['transfers.parquet']);
    const columns = ['sendDelay', 'networkAndServer', 'receiveDelay'];
    const objects = await parquetReadObjects({ file: bytesOf('transfers.parquet'), columns });
    const splits = objects.flatMap((row, index) => {
      const times = columns.map((name) => row[name]);
      return times.some((ns) => ns !== null) ? [[index, ...times]] : [];
    });
    assert.deepEqual(splits, [
      [0, 1n, 2n, 3n],
      [262_143, 4n, 5n, 6n],
      [262_144, 7n, 8n, 9n],
      [262_159, 10n, 11n, 12n],
      [262_200, 13n, 14n, 15n],
    ]);
  });

  it('in Arrow format keeps the second stream, and repairs that of a dead worker', async () => {
    writeArrowLog(at('a'), [rowsFrom(10, 0)]);
    writeSplits(at('a.splits'), [[[1n, 2n, 3n, 4n]], [[5n, 6n, 7n, 8n]]], -20);
    await end([file('a', 10, { splits: at('a.splits'), whole: false })], { kind: 'arrow' });
    const table = tableFromIPC(readFileSync(at('a.splits')));
    assert.deepEqual(
      table.schema.fields.map(({ name }) => name),
      ['row', 'sendDelay', 'networkAndServer', 'receiveDelay'],
    );
    assert.equal(table.numRows, 1);
  });

  it('numbers the file of a replacement by its generation', () => {
    assert.deepEqual([arrowName(3, 0), arrowName(3, 2)], ['transfers-3.arrows', 'transfers-3-2.arrows']);
    assert.equal(splitsName(3, 2), 'timestamps-3-2.arrows');
    assert.deepEqual(engineOfLog('/x/transfers-12.arrows'), { share: 12, generation: 0 });
    assert.deepEqual(engineOfLog('transfers-3-2.arrows'), { share: 3, generation: 2 });
  });
});
