// The rules of the layout that eslint.config.js cannot check: those of C files and of paths in texts.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectFiles, requireProjectFiles } from '../fixtures/project-files.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const files = projectFiles();

describe('layout', () => {
  before(function () {
    requireProjectFiles(this);
  });

  it('does not refer to test/ in shipped code', () => {
    const shipped = files.filter((path) => /^(client|servers|report)\/.*\.(js|ts|c|h|go|rs|java|py|sh)$/.test(path));
    const names = /(['"`])(?:(?:\.{1,2}\/)+|\/)?test\/[^'"`\n]*\1/;
    const wrong = shipped.flatMap((path) =>
      read(path)
        .split('\n')
        .filter((line) => names.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('includes no header of a higher layer in the engine, and none of the servers', () => {
    const wrong = files
      .filter((path) => /^client\/engine\/(core|node)\/.*\.[ch]$/.test(path))
      .flatMap((from) => includesOf(from).map((to) => ({ from, to })))
      .filter(({ from, to }) => layerOf(to) !== layerOf(from) && !(LAYERS[layerOf(from)] ?? []).includes(layerOf(to)))
      .map(({ from, to }) => `${from} includes ${to}`);
    assert.deepEqual(wrong, []);
  });
});

const CORE = 'client/engine/core/';

/** The engine's layers, each with those whose headers it may include besides its own. @type {Record<string, string[]>} */
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

/** @param {string} path of a C file @returns {string[]} the files of the project that it includes */
function includesOf(path) {
  return [...read(path).matchAll(/^#include "([^"]+)"/gm)].map(([, name]) => posix.join(dirname(path), name));
}

/** @param {string} path @returns {string} */
const read = (path) => readFileSync(join(ROOT, path), 'utf8');
