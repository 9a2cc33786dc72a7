// Checks rules of the layout that eslint.config.js cannot: the headers that a C file may include, the files at the top,
// and that each file begins with a description. Reads tracked files and files not yet added.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectFiles, requireProjectFiles } from '../fixtures/project-files.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const files = projectFiles();
const readable = files.filter((path) => !/\.(png|jpg|bin|parquet|gz)$/.test(path));
const texts = new Map(readable.map((path) => [path, textOf(path)]));
const sources = files.filter((path) => /\.(js|cjs|mjs|ts|c|h|go|rs|java|py|sh)$/.test(path) || path === '.ci/run');

describe('layout', () => {
  before(function () {
    requireProjectFiles(this);
  });

  it('does not refer to test/ in shipped code', () => {
    const shipped = sources.filter((path) => /^(client|servers|report)\//.test(path));
    const names = /(['"`])(?:(?:\.{1,2}\/)+|\/)?test\/[^'"`\n]*\1/;
    const wrong = shipped.flatMap((path) =>
      read(path)
        .split('\n')
        .filter((line) => names.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('includes system-specific headers in their own C file only', () => {
    /** @type {[RegExp, RegExp][]} */
    const owners = [
      [/<node_api\.h>|<js_native_api\.h>/, /^client\/engine\/node\/[^/]+\.[ch]$/],
      [/<sys\/epoll\.h>/, /^client\/engine\/core\/transport\/[^/]*epoll[^/]*\.[ch]$/],
      [/<linux\/sctp\.h>/, /^client\/engine\/core\/transport\/sctp_\w+\.c$/],
      [/<openssl\//, /^client\/engine\/(core\/transport\/tls_?\w*\.[ch]|openssl_probe\.c)$/],
      [/<liburing\.h>/, /^client\/engine\/(core\/transport\/socket_ring\.c|liburing_probe\.c)$/],
    ];
    const engine = files.filter((path) => /^client\/engine\/.*\.[ch]$/.test(path));
    const wrong = engine.flatMap((path) =>
      owners
        .filter(([header, owner]) => !owner.test(path) && new RegExp(`#include ${header.source}`).test(read(path)))
        .map(([header]) => `${path} includes ${header.source}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('includes no header of a higher layer in the engine', () => {
    const wrong = files
      .filter((path) => /^client\/engine\/(core|node)\/.*\.[ch]$/.test(path))
      .flatMap((from) => includesOf(from).map((to) => ({ from, to })))
      .filter(({ from, to }) => layerOf(to) !== layerOf(from) && !(LAYERS[layerOf(from)] ?? []).includes(layerOf(to)))
      .map(({ from, to }) => `${from} includes ${to}`);
    assert.deepEqual(wrong, []);
  });

  it('includes no header of a later file inside connection/', () => {
    const wrong = files
      .filter((path) => path.startsWith(`${CORE}connection/`))
      .flatMap((from) => includesOf(from).map((to) => ({ from, to })))
      .filter(({ from, to }) => placeOf(from) < 0 || placeOf(to) > placeOf(from))
      .map(({ from, to }) => `${from} includes ${to}`);
    assert.deepEqual(wrong, []);
  });

  it('shares no C between client and servers', () => {
    const wrong = files
      .filter((path) => /^(client|servers)\/.*\.[ch]$/.test(path))
      .filter((path) => includesOf(path).some((other) => other.split('/')[0] !== path.split('/')[0]));
    assert.deepEqual(wrong, []);
  });
});

const CORE = 'client/engine/core/';

/**
 * The engine's layers, each with those whose headers it may include besides its own.
 * @type {Record<string, string[]>}
 */
const LAYERS = {
  node: ['engine', 'load', 'metrics', 'protocol', 'transport', 'base'],
  engine: ['connection', 'load', 'metrics', 'protocol', 'transport', 'base'],
  connection: ['load', 'metrics', 'protocol', 'transport', 'base'],
  load: ['base'],
  metrics: ['base'],
  protocol: ['base'],
  transport: ['base'],
  base: [],
};

/** @param {string} path @returns {string} the layer of a C file of the engine */
function layerOf(path) {
  if (path.startsWith('client/engine/node/')) return 'node';
  const inside = path.slice(CORE.length);
  return inside.includes('/') ? inside.split('/')[0] : 'engine';
}

/** Of connection/, the lowest first; connections.c creates what the others use. */
const CONNECTION = [
  ...['engine_settings', 'connections.h', 'window', 'received', 'stamps', 'tcp_sample', 'control_messages'],
  ...['transfers', 'exchange.h', 'requests', 'replies'],
  ...['connecting', 'transitions', 'open_connection', 'connection', 'transport_events', 'connections.c'],
];

/** @param {string} path of a C file @returns {number} its place in connection/; -1 outside of it */
const placeOf = (path) =>
  CONNECTION.findIndex((name) => [name, `${name}.c`, `${name}.h`].some((file) => path === `${CORE}connection/${file}`));

/** @param {string} path of a C file @returns {string[]} the files of the project that it includes */
function includesOf(path) {
  return [...read(path).matchAll(/^#include "([^"]+)"/gm)].map(([, name]) => posix.join(dirname(path), name));
}

/** @param {string} path */
function read(path) {
  return texts.get(path) ?? '';
}

/** @param {string} path */
function textOf(path) {
  return readFileSync(join(ROOT, path), 'utf8');
}
