// Checks the rules of the layout: who may import whom, which C file may include which header, what lies at the top, and
// that each file says what it is. Reads the tracked files and those not yet added.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectFiles, requireProjectFiles } from '../fixtures/project-files.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The allowed imports between the parts, each with its reason. */
const ALLOWED = new Map([
  ['client/setup/steps.js servers/launcher/index.js', 'set-up builds the servers; no other code may depend on them'],
  [
    'client/setup/prepare.js servers/launcher/builder/lock.js',
    'both build once at a time, by one lock; built-in modules only',
  ],
  ['client/setup/steps.js servers/launcher/builder/content-hash.js', 'one way to hash sources; built-in modules only'],
  ['client/setup/fingerprint.js servers/launcher/builder/content-hash.js', 'as above'],
  [
    'client/setup/tools.js servers/launcher/process/find-program.js',
    'both look for programs on the PATH; built-in modules only',
  ],
  ['config/reference.js client/judge/figures.js', 'writes the reference of the figures; not in the package'],
  ['config/reference.js client/judge/conditions/parse.js', 'as above'],
  ['client/setup/run.js servers/launcher/process/lines.js', 'both say why a build failed; built-in modules only'],
]);

const files = projectFiles();
const readable = files.filter((path) => !/\.(png|jpg|bin|parquet|gz)$/.test(path));
const texts = new Map(readable.map((path) => [path, textOf(path)]));
const sources = files.filter((path) => /\.(js|cjs|mjs|ts|c|h|go|rs|java|py|sh)$/.test(path) || path === '.ci/run');

describe('layout', () => {
  before(function () {
    requireProjectFiles(this);
  });

  it('has only the allowed files at the top level', () => {
    const allowed =
      /^(package(-lock)?\.json|(README|CHANGELOG)\.md|LICENSE|action\.yml|tsconfig\.json|eslint\.config\.js|\..+)$/;
    const folders = ['client', 'servers', 'config', 'logs', 'report', 'test'];
    const tops = [...new Set(files.map((path) => path.split('/')[0]))];
    assert.deepEqual(
      tops.filter((top) => !folders.includes(top) && !allowed.test(top)),
      [],
    );
  });

  it('joins client, servers and report in client/commands only', () => {
    const wrong = imports().filter(
      ({ from, to, isType }) =>
        !ALLOWED.has(`${from} ${to}`) &&
        !mayImport(from, to) &&
        !(isShape(from, to) && (isType || from.endsWith('.d.ts'))),
    );
    assert.deepEqual(
      wrong.map(({ from, to }) => `${from} imports ${to}`),
      [],
    );
  });

  it('names a predecessor or SCTP in its own room and in a list only', () => {
    const rooms = new Set(files.flatMap((path) => /^client\/(?:predecessors|transports)\/[^/]+\//.exec(path) ?? []));
    assert.notEqual(rooms.size, 0);
    const room = (/** @type {string | null} */ path) => [...rooms].find((each) => path?.startsWith(each));
    const wrong = imports().filter(
      ({ from, to }) =>
        !from.startsWith('test/') &&
        room(to) !== undefined &&
        room(from) !== room(to) &&
        !LISTS_OF_ROOMS.has(from) &&
        !OWN_IMPORTS.has(`${from} ${to}`),
    );
    assert.deepEqual(
      wrong.map(({ from, to }) => `${from} imports ${to}`),
      [],
    );
  });

  it('imports only lower layers inside the client', () => {
    const wrong = runtimeImports()
      .filter(({ from, to }) => !isDownwards(from, to))
      .map(({ from, to }) => `${from} imports ${to}`);
    assert.deepEqual(wrong, []);
  });

  it('has no circle of imports', () => {
    assert.deepEqual(circleIn(graphOf(runtimeImports())), []);
  });

  it('has no circle between the folders of the client, and prints what each one imports', () => {
    const edges = runtimeImports().filter(({ from, to }) => isInClient(from) && isInClient(to));
    printLayers('client', edges, files.filter(isInClient), clientFolder);
    assert.deepEqual(circleIn(layerGraph(edges, clientFolder)), []);
  });

  it('imports only files that exist and modules that are declared', () => {
    const { dependencies, devDependencies } = JSON.parse(textOf('package.json'));
    const wrong = imports().filter(({ from, to, name, isType }) => {
      if (to !== null) return !texts.has(to) && !texts.has(to.replace(/\.js$/, '.d.ts'));
      if (isBuiltin(name)) return false;
      const owner = name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/');
      const mayBeDevelopment = isType || from.startsWith('test/') || DEVELOPMENT_FILES.has(from);
      return !(owner in dependencies) && !(mayBeDevelopment && owner in devDependencies);
    });
    assert.deepEqual(
      wrong.map(({ from, name }) => `${from} imports ${name}`),
      [],
    );
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

  it('imports no installed package before set-up has installed it', () => {
    const found = imports().filter(({ isStatic }) => isStatic);
    const early = new Set(files.filter((path) => path.startsWith('client/setup/') || path === 'client/cli.js'));
    for (const each of early) found.forEach(({ from, to }) => from === each && to !== null && early.add(to));
    const wrong = found.filter(({ from, to, name }) => early.has(from) && to === null && !isBuiltin(name));
    assert.deepEqual(
      wrong.map(({ from, name }) => `${from} imports ${name}`),
      [],
    );
  });

  it('includes system-specific headers in their own C file only', () => {
    /** @type {[RegExp, RegExp][]} */
    const owners = [
      [/<node_api\.h>|<js_native_api\.h>/, /^client\/engine\/node\/[^/]+\.[ch]$/],
      [/<sys\/epoll\.h>/, /^client\/engine\/core\/transport\/[^/]*(epoll|usrsctp)[^/]*\.[ch]$/],
      [/<usrsctp\.h>/, /^client\/engine\/(core\/transport\/usrsctp\w*\.c|usrsctp_probe\.c)$/],
      [/<linux\/sctp\.h>/, /^client\/engine\/core\/transport\/sctp_\w+\.c$/],
      [/<openssl\//, /^client\/engine\/(core\/transport\/tls_?\w*\.[ch]|openssl_probe\.c)$/],
      [
        /<liburing\.h>|<linux\/io_uring\.h>/,
        /^client\/engine\/(core\/transport\/[^/]*uring[^/]*\.[ch]|liburing_probe\.c)$/,
      ],
    ];
    const engine = files.filter((path) => /^client\/engine\/.*\.[ch]$/.test(path));
    const wrong = engine.flatMap((path) =>
      owners
        .filter(([header, owner]) => !owner.test(path) && new RegExp(`#include ${header.source}`).test(read(path)))
        .map(([header]) => `${path} includes ${header.source}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('includes no header of a higher layer in the engine, and has no circle of includes', () => {
    const edges = includesOfEngine();
    const upward = edges.filter(({ from, to }) => !mayInclude(layerOf(from), layerOf(to)));
    assert.deepEqual(
      upward.map(({ from, to }) => `${from} includes ${to}`),
      [],
    );
    assert.deepEqual(circleIn(graphOf(edges)), []);
  });

  it('has no circle between the layers of the engine, and prints what each one includes', () => {
    const edges = includesOfEngine();
    printLayers('engine', edges, files.filter(isOfEngine), layerOf);
    assert.deepEqual(circleIn(layerGraph(edges, layerOf)), []);
  });

  it('shares no C between client and servers', () => {
    const wrong = files
      .filter((path) => /^(client|servers)\/.*\.[ch]$/.test(path))
      .filter((path) => {
        const other = path.startsWith('client/') ? 'servers/' : 'client/';
        return [...read(path).matchAll(/^#include "([^"]+)"/gm)].some(([, name]) => {
          return posix.join(dirname(path), name).startsWith(other) || name.includes(`/${other}`);
        });
      });
    assert.deepEqual(wrong, []);
  });
});

describe('files', () => {
  before(function () {
    requireProjectFiles(this);
  });

  it('begin with a comment that says what they are', () => {
    const bare = sources.filter((path) => !/^(#!.*\n)?(\/\/|\/\*|#(?!include|define|if)|"""|--)/.test(read(path)));
    assert.deepEqual(bare, []);
  });

  it('have no empty names, such as helpers or utils', () => {
    const empty = /(^|[-_.])(managers?|helpers?|utils?|common|misc|data|info)([-_.]|$)/i;
    const wrong = files.filter((path) => path.split('/').some((part) => empty.test(part)));
    assert.deepEqual(wrong, []);
  });

  it('name no package registry and no folder of one machine', () => {
    const registries =
      /\b(registry\.(npmjs|yarnpkg)|npmjs\.org|crates\.io|pypi\.org|proxy\.golang|repo1?\.maven|deb\.debian)\b/;
    const homes = new RegExp(
      ['home', 'root', 'work', 'Users'].map((name) => `(?<![\\w./])/${name}/[\\w.]+/`).join('|'),
    );
    const wrong = [...texts].filter(([path, text]) => path !== SELF && (registries.test(text) || homes.test(text)));
    assert.deepEqual(
      wrong.map(([path]) => path),
      [],
    );
  });

  it('contain no reminders of unfinished work', () => {
    const later = /\b(TODO|FIXME|XXX|HACK)\b/;
    const wrong = sources.filter((path) => path !== SELF && later.test(read(path)));
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

/** @param {string} from @param {string} to layers @returns {boolean} */
function mayInclude(from, to) {
  return from === to || (LAYERS[from] ?? []).includes(to);
}

/** @param {string} path @returns {boolean} whether it is a C file of the engine */
function isOfEngine(path) {
  return /^client\/engine\/(core|node)\/.*\.[ch]$/.test(path);
}

/** @typedef {{from: string, to: string}} Edge  one file imports or includes another */

/** @returns {Edge[]} every include of one file of the engine by another */
function includesOfEngine() {
  return files.filter(isOfEngine).flatMap((from) =>
    [...read(from).matchAll(/^#include "([^"]+)"/gm)].map(([, name]) => ({
      from,
      to: posix.join(dirname(from), name),
    })),
  );
}

const SELF = 'test/unit/layers.test.js';

/** Files outside test/ that only developers run: configuration, and a generator of C source. */
const DEVELOPMENT_FILES = new Set(['eslint.config.js', 'client/engine/arrow-template.js', 'config/schema-types.js']);

/**
 * @typedef {object} Import
 * @property {string} from a file
 * @property {string | null} to a file; null for a package
 * @property {string} name as written
 * @property {boolean} isStatic
 * @property {boolean} isType in a comment: gone at run time, but it binds all the same
 */

const STATIC = /^(?:import|export)\s[^'";]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm;
const DYNAMIC = /^(.*?)\bimport\(\s*'([^']+)'\s*\)/gm;

/** @returns {Import[]} of all JavaScript, found by reading it */
function imports() {
  return files
    .filter((path) => /\.(js|cjs|mjs|d\.ts)$/.test(path))
    .flatMap((from) => {
      const text = read(from).replace(/^\/\/.*$/gm, '');
      const found = [
        ...[...text.matchAll(STATIC)].map((match) => ({ name: match[1] ?? match[2], isStatic: true, isType: false })),
        ...[...text.matchAll(DYNAMIC)].map((match) => {
          return { name: match[2], isStatic: false, isType: /^\s*\*|\/\*/.test(match[1]) };
        }),
      ];
      return found.map((one) => {
        return { ...one, from, to: /^\.{1,2}\//.test(one.name) ? posix.join(dirname(from), one.name) : null };
      });
    });
}

/** The lists with a line for each predecessor or transport. */
const LISTS_OF_ROOMS = new Set([
  'client/predecessors/index.js',
  'client/judge/claims.js',
  'client/transports/index.js',
  'client/transports/facts.js',
]);
/** The test of ACE that opens an association. */
const OWN_IMPORTS = new Set(['client/predecessors/ace/association.js client/transports/sctp/engine.js']);

/**
 * @param {string} from
 * @param {string | null} to
 */
function mayImport(from, to) {
  if (to === null || /^(test|\.ci)\//.test(from)) return true;
  const [fromPart, toPart] = [from.split('/')[0], to.split('/')[0]];
  if (toPart === 'test') return false;
  if (/^client\/(commands|predecessors)\//.test(from)) return to !== 'client/cli.js';
  if (to === 'client/cli.js') return false;
  if (to.startsWith('client/commands/')) return from === 'client/cli.js';
  if (fromPart === 'report' && /^client\/(measure|words|judge|transports)\//.test(to)) return true;
  return fromPart === toPart || toPart === 'package.json' || (toPart === 'config' && fromPart !== 'report');
}

/** What a run leaves in its folder, and the page reads. */
const SHAPES = ['config/types.js', 'client/plan/plan.js', 'client/scenario/scenario.js'];

/** @param {string} from @param {string | null} to @returns {boolean} whether that is where the types of the run folder's documents are */
const isShape = (from, to) => from.startsWith('report/') && to !== null && SHAPES.includes(to);

/**
 * The folders of the client from the lowest layer to the highest. A file may import from its own folder and from lower
 * layers; folders of one layer do not import each other. `errors.js` is below them all.
 */
const CLIENT_LAYERS = [
  ['measure', 'engine'],
  ['words'],
  ['judge', 'protocols'],
  ['transports'],
  ['scenario', 'machine'],
  ['plan', 'store', 'console', 'exports'],
  ['run', 'live'],
  ['commands'],
];

/**
 * @param {string} from
 * @param {string} to
 * @returns {boolean} whether the rule for imports inside the client allows it, or does not concern it
 */
function isDownwards(from, to) {
  const layer = (/** @type {string} */ path) =>
    isInClient(path) ? CLIENT_LAYERS.findIndex((names) => names.includes(clientFolder(path))) : -1;
  if (layer(from) < 0 || layer(to) < 0 || clientFolder(from) === clientFolder(to)) return true;
  return layer(to) < layer(from);
}

/** @param {string} path @returns {boolean} whether it is a JavaScript file of the client */
function isInClient(path) {
  return /^client\/.*\.js$/.test(path);
}

/**
 * @param {string} path of the client
 * @returns {string} its folder, or the file's own name at the top of client/. A predecessor's room is of the layer whose list
 *   has it
 */
function clientFolder(path) {
  if (path.startsWith('client/predecessors/server-bench/')) return 'judge';
  return path.split('/')[1].replace('predecessors', 'commands');
}

/** @returns {Edge[]} every import of one file by another that is there at run time: not those in type comments */
function runtimeImports() {
  return imports().flatMap(({ from, to, isType }) => (isType || to === null ? [] : [{ from, to }]));
}

/** @param {Edge[]} edges @returns {Map<string, string[]>} */
function graphOf(edges) {
  const graph = new Map();
  for (const { from, to } of edges) graph.set(from, [...(graph.get(from) ?? []), to]);
  return graph;
}

/**
 * @param {Edge[]} edges between files
 * @param {(path: string) => string} nameOf the layer of a file
 * @returns {Map<string, string[]>} between layers, each edge once
 */
function layerGraph(edges, nameOf) {
  const between = edges.map(({ from, to }) => ({ from: nameOf(from), to: nameOf(to) }));
  const graph = graphOf(between.filter(({ from, to }) => from !== to));
  return new Map([...graph].map(([layer, others]) => [layer, [...new Set(others)]]));
}

/**
 * Prints a line for each layer, the highest first: its files, and the layers that it uses.
 * @param {string} what
 * @param {Edge[]} edges
 * @param {string[]} paths all files of the layers
 * @param {(path: string) => string} nameOf
 */
function printLayers(what, edges, paths, nameOf) {
  const graph = layerGraph(edges, nameOf);
  const layers = [...new Set(paths.map(nameOf))];
  /** How many layers are below one; in a circle, as many as there are. @type {(layer: string, above?: string[]) => number} */
  const height = (layer, above = []) =>
    above.includes(layer)
      ? layers.length
      : Math.max(0, ...(graph.get(layer) ?? []).map((other) => height(other, [...above, layer]) + 1));
  const heights = new Map(layers.map((layer) => [layer, height(layer)]));
  const byHeight = (/** @type {string} */ a, /** @type {string} */ b) =>
    (heights.get(b) ?? 0) - (heights.get(a) ?? 0) || (a < b ? -1 : 1);
  console.log(`\n  layers of the ${what}:`);
  for (const layer of layers.sort(byHeight)) {
    const count = paths.filter((path) => nameOf(path) === layer).length;
    const uses = (graph.get(layer) ?? []).sort(byHeight).join(', ') || '(nothing)';
    console.log(`    ${layer} (${count} ${count === 1 ? 'file' : 'files'}) -> ${uses}`);
  }
}

/**
 * @param {Map<string, string[]>} graph what each file or layer imports or includes
 * @returns {string[]} the files of one circle, the first again at the end; empty without one
 */
function circleIn(graph) {
  const done = new Set();
  /** @type {(node: string, path: string[]) => string[]} */
  const visit = (node, path) => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return [];
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...path, node]);
      if (circle.length > 0) return circle;
    }
    done.add(node);
    return [];
  };
  for (const node of graph.keys()) {
    const circle = visit(node, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

/** @param {string} path */
function read(path) {
  return texts.get(path) ?? '';
}

/** @param {string} path */
function textOf(path) {
  return readFileSync(join(ROOT, path), 'utf8');
}
