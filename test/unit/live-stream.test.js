// The events of a live page: what a reader gets who comes early, late, again, or who takes nothing; and who may read at all.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import http from 'node:http';
import { EventStream } from '../../client/live/event-stream.js';
import { LiveServer } from '../../client/live/live-server.js';
import { livePortOf } from '../../client/commands/live.js';

/** A reader that takes `room` writes and then no more until it is drained. */
class Sink extends EventEmitter {
  /** @param {number} [room] */
  constructor(room = Infinity) {
    super();
    this.room = room;
    this.text = '';
    this.state = 'open';
  }

  /** @param {string} text */
  write(text) {
    assert.ok(this.room > 0, 'written to although it takes no more');
    this.text += text;
    this.room -= 1;
    return this.room > 0;
  }

  /** @param {number} room */
  drain(room) {
    this.room = room;
    this.emit('drain');
  }

  end() {
    this.state = 'ended';
  }

  destroy() {
    this.state = 'destroyed';
    this.emit('close');
  }

  get ids() {
    return [...this.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  }

  get data() {
    return [...this.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data));
  }
}

/** @param {EventStream} stream @param {Sink} sink @param {number} [last] */
const join = (stream, sink, last) => {
  stream.join(/** @type {any} */ (sink), last);
  return sink;
};

describe('the events of a live page', () => {
  it('reach a reader in order, whether it comes early or late', () => {
    const stream = new EventStream();
    const early = join(stream, new Sink());
    for (const n of [1, 2, 3]) stream.publish('sample', n);
    const late = join(stream, new Sink());
    stream.publish('sample', 'a\nb');
    assert.deepEqual(early.data, [1, 2, 3, 'a\nb']);
    assert.deepEqual(late.data, early.data);
    assert.deepEqual(late.ids, [1, 2, 3, 4]);
    assert.match(early.text, /^retry: \d+\n\nid: 1\nevent: sample\ndata: 1\n\n/);
  });

  it('continue after the last one that a reader has; one of another run has none', () => {
    const stream = new EventStream();
    for (const n of [1, 2, 3]) stream.publish('sample', n);
    assert.deepEqual(join(stream, new Sink(), 2).data, [3]);
    assert.deepEqual(join(stream, new Sink(), 3).data, []);
    assert.deepEqual(join(stream, new Sink(), 99).data, [1, 2, 3]);
  });

  it('are kept once: one with a key replaces the one before, a group is forgotten as a whole', () => {
    const stream = new EventStream();
    stream.publish('legs', 'first', { key: 'legs' });
    stream.publish('sample', 1, { group: '01' });
    stream.publish('legs', 'second', { key: 'legs' });
    stream.publish('sample', 2, { group: '02' });
    stream.forget('01');
    assert.deepEqual(join(stream, new Sink()).data, ['second', 2]);
    assert.equal(
      stream.bytes,
      stream.kept.reduce((sum, { text }) => sum + text.length, 0),
    );
  });

  it('are bounded: the oldest without a key are dropped', () => {
    const stream = new EventStream({ mostBytes: 1000 });
    stream.publish('legs', 'kept', { key: 'legs' });
    for (let n = 0; n < 100; n += 1) stream.publish('sample', 'x'.repeat(100) + n);
    assert.ok(stream.bytes <= 1000);
    const { data } = join(stream, new Sink());
    assert.equal(data[0], 'kept');
    assert.equal(data.at(-1), `${'x'.repeat(100)}99`);
    assert.ok(data.length < 10);
  });

  it('wait for a slow reader without a buffer of its own, and drop one that takes nothing', () => {
    let now = 0;
    const stream = new EventStream({ patienceMs: 1000, now: () => now });
    const slow = join(stream, new Sink(3));
    const quick = join(stream, new Sink());
    for (const n of [1, 2, 3, 4, 5]) stream.publish('sample', n);
    assert.deepEqual(slow.data, [1, 2]);
    slow.drain(2);
    assert.deepEqual(slow.data, [1, 2, 3, 4]);
    now = 900;
    stream.publish('sample', 6);
    assert.equal(slow.state, 'open');
    now = 1901;
    stream.publish('sample', 7);
    assert.equal(slow.state, 'destroyed');
    assert.equal(stream.readers.size, 1);
    assert.deepEqual(quick.data, [1, 2, 3, 4, 5, 6, 7]);
    assert.deepEqual(join(stream, new Sink(), slow.ids.at(-1)).data, [5, 6, 7], 'it comes back and misses nothing');
  });

  it('end for each reader when it has them all', () => {
    const stream = new EventStream();
    const [slow, quick] = [join(stream, new Sink(2)), join(stream, new Sink())];
    stream.publish('sample', 1);
    stream.publish('end', 2, { key: 'end' });
    stream.end();
    assert.deepEqual([slow.state, quick.state], ['open', 'ended']);
    slow.drain(9);
    assert.deepEqual([slow.state, slow.data], ['ended', [1, 2]]);
  });

  it('have a bounded number of readers', () => {
    const stream = new EventStream({ mostReaders: 2 });
    const first = join(stream, new Sink());
    join(stream, new Sink());
    assert.equal(stream.hasRoom, false);
    first.destroy();
    assert.equal(stream.hasRoom, true);
  });
});

describe('the server of a live page', () => {
  /** @type {LiveServer} */
  let server;
  let url = '';

  beforeEach(async () => {
    server = new LiveServer({
      '': { type: 'text/html', text: 'page' },
      'live.js': { type: 'text/javascript', text: '1' },
    });
    url = await server.listen(0);
  });
  afterEach(() => server.close());

  /**
   * @param {string} path @param {http.RequestOptions} [options]
   * @returns {Promise<http.IncomingMessage>}
   */
  const ask = (path, options = {}) =>
    new Promise((resolve, reject) => {
      http.get(new URL(path, url), { agent: false, ...options }, resolve).once('error', reject);
    });

  /** @param {string} path @param {http.RequestOptions} [options] @returns {Promise<number | undefined>} */
  const statusOf = async (path, options) => {
    const response = await ask(path, options);
    response.resume();
    return response.statusCode;
  };

  it('is on the loopback address, with a token of 128 bits that differs from run to run', async () => {
    const other = new LiveServer({});
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/);
    assert.notEqual(other.token, server.token);
    const address = /** @type {import('node:net').AddressInfo} */ (server.server.address());
    assert.equal(address.address, '127.0.0.1');
  });

  it('answers those who know the token, with a policy that lets the page load nothing else', async () => {
    const page = await ask('');
    page.resume();
    assert.equal(page.statusCode, 200);
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'; script-src 'self'/);
    assert.equal(page.headers['cache-control'], 'no-store');
    assert.equal(await statusOf('live.js'), 200);
    assert.equal(await statusOf(`/${server.token}`), 308);
  });

  it('refuses a wrong token, other paths, other host names and methods', async () => {
    const { token } = server;
    const wrong = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    for (const path of ['/', '/events', `/${wrong}/`, `/${wrong}/events`, `/${token}x/`, `/${token}/live.js/x`]) {
      assert.equal(await statusOf(path), 404, path);
    }
    for (const name of ['none', 'report', 'constructor', '__proto__']) assert.equal(await statusOf(name), 404, name);
    for (const host of ['example.org', '127.0.0.1.example.org', '10.0.0.1', 'localhost.evil']) {
      assert.equal(await statusOf('', { headers: { host } }), 403, host);
    }
    for (const host of ['localhost:9000', '127.0.0.1', '[::1]:80']) {
      assert.equal(await statusOf('', { headers: { host } }), 200, host);
    }
    assert.equal(await statusOf('', { method: 'POST' }), 405);
  });

  it('sends the events, refuses readers beyond the most, and takes up where one left', async () => {
    server.stream.mostReaders = 1;
    server.stream.publish('sample', 1);
    server.stream.publish('sample', 2);
    const reader = await ask('events', { headers: { 'Last-Event-ID': '1' } });
    assert.equal(reader.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(await statusOf('events'), 503);
    server.end({ code: 'plan' }, null);
    let text = '';
    for await (const part of reader) text += part;
    assert.match(
      text,
      /^retry: 1000\n\nid: 2\nevent: sample\ndata: 2\n\nid: 3\nevent: end\ndata: {"code":"plan"}\n\n$/,
    );
  });

  it('says which port it cannot have', async () => {
    const { port } = new URL(url);
    await assert.rejects(new LiveServer({}).listen(Number(port)), {
      code: 'ELIVE',
      exitCode: 3,
      data: { option: 'live', port: Number(port), errno: 'EADDRINUSE' },
    });
  });
});

describe('--live', () => {
  it('takes a port or none, and is refused where nothing runs', () => {
    assert.equal(livePortOf({}), null);
    assert.equal(livePortOf({ live: '' }), 0);
    assert.equal(livePortOf({ live: '8080' }), 8080);
    for (const live of ['65536', '-1', '80.5', 'http://127.0.0.1:80', ['1', '2'], false]) {
      assert.throws(() => livePortOf({ live }), { exitCode: 2 }, String(live));
    }
    assert.throws(() => livePortOf({ live: '', 'dry-run': true }), {
      code: 'EOPTION',
      data: { option: 'live', value: '' },
    });
  });
});
