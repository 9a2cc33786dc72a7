// Builds what the package has in C for one platform: the engine, the guard and the servers, stripped, with everything
// but glibc linked statically, and with a check that this is so. Sources are those of the checkout; nothing in it is
// changed.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, relative } from 'node:path';
import { writeNamesHeader } from '../../client/setup/names-header.js';
import { nodeGyp, nodeHeaders, run } from '../../client/setup/run.js';
import { EnvironmentError } from '../../client/errors.js';
import { librariesOf, toolFor } from './platforms.js';

/**
 * @import { Platform as EnginePlatform } from '../../client/engine/prebuilt.js'
 * @import { Settings } from '../../client/setup/prepare.js'
 * @import { Platform } from './platforms.js'
 */

/** The oldest glibc that the package is for: see README.md. */
const OLDEST_GLIBC = '2.34';
/** Parts of glibc, and node itself. */
const SHARED = /^(lib(c|m|dl|rt|pthread)\.so\.\d+|ld-linux-.*)$/;

const ENGINE = 'client/engine/build/Release/engine.node';
const GUARD = 'servers/launcher/process/build/guard';

/**
 * @param {Settings} settings
 * @param {Platform} platform
 * @param {{work: string, target: string, servers: ReturnType<typeof serversFor>}} how work: a folder that is kept, so
 *   that the next time only what has changed is compiled; target: gets the programs
 * @returns {Promise<EnginePlatform>}
 */
export async function buildPrograms(settings, platform, { work, target, servers }) {
  const libraries = librariesOf(platform);
  const compiler = compilerWith(platform, libraries, join(work, 'libraries'));
  await buildEngine(settings, platform, { compiler, folder: join(work, 'engine') });
  await buildWithMake(settings, platform, compiler, {
    source: 'servers/launcher/process',
    out: join(work, 'guard'),
    targets: ['guard'],
  });
  await buildWithMake(settings, platform, compiler, {
    source: 'servers/c',
    out: join(work, 'servers'),
    targets: servers.map(({ goal }) => goal),
  });
  rmSync(target, { recursive: true, force: true });
  const programs = [
    { from: join(work, 'engine', 'build', 'Release', 'engine.node'), to: ENGINE },
    { from: join(work, 'guard', 'guard'), to: GUARD },
    ...servers.map(({ output }) => ({
      from: join(work, 'servers', basename(output)),
      to: join('servers', 'c', output),
    })),
  ];
  for (const { from, to } of programs) {
    cpSync(from, join(target, to));
    execFileSync(toolFor(platform, 'strip') ?? 'strip', ['--strip-unneeded', join(target, to)]);
  }
  const versions = programs.map(({ to }) => checkedGlibc(platform, join(target, to)));
  return {
    interpreter: platform.interpreter,
    glibc: versions.reduce((a, b) => (isOlder(a, b) ? b : a)),
    libraries: {
      liburing: null,
      libuv: null,
      ...Object.fromEntries(libraries.map(({ name, version }) => [name, version])),
    },
    compiler: execFileSync(toolFor(platform, 'gcc') ?? 'gcc', ['--version'], { encoding: 'utf8' }).split('\n')[0],
    programs: Object.fromEntries(programs.map(({ to }) => [to, sha256(join(target, to))])),
  };
}

/** @param {string} file @returns {string} its SHA-256, in hex */
const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/**
 * @param {Platform} platform
 * @param {ReturnType<typeof librariesOf>} libraries
 * @param {string} folder gets links to the static libraries and to nothing else, so that the linker takes these
 * @returns {string} words for CC
 */
function compilerWith(platform, libraries, folder) {
  const gcc = toolFor(platform, 'gcc');
  if (gcc === null || toolFor(platform, 'strip') === null || toolFor(platform, 'readelf') === null) {
    throw new EnvironmentError(`there is no compiler for ${platform.name}; apt-get install ${platform.from}`, {
      code: 'ETOOLS',
      data: { missing: [`${platform.triplet}-gcc`], packages: [platform.from] },
    });
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { archive, as } of libraries) symlinkSync(archive, join(folder, as));
  return `${gcc} -static-libgcc ${quoted(`-L${folder}`)}`;
}

/**
 * @param {string} word
 * @returns {string} one word of a shell, and of CC in a Makefile, whatever the checkout's folder is called
 */
const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * @param {Settings} settings
 * @param {Platform} platform
 * @param {{compiler: string, folder: string}} how
 */
async function buildEngine(settings, platform, { compiler, folder }) {
  const source = join(settings.root, 'client', 'engine');
  cpSync(source, folder, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !path.startsWith(join(source, 'build')),
  });
  writeNamesHeader(folder);
  const headers = nodeHeaders();
  await run(settings, {
    name: `package-engine-${platform.name}`,
    title: `building the engine for ${platform.name}`,
    command: [
      process.execPath,
      nodeGyp(settings.root),
      'configure',
      'build',
      '--jobs=max',
      `--arch=${platform.arch}`,
      ...(headers ? [`--nodedir=${headers}`] : []),
    ],
    folder,
    env: {
      CC: compiler,
      CXX: compiler,
      LINK: compiler,
      AR: toolFor(platform, 'ar') ?? 'ar',
    },
  });
}

/**
 * @param {Settings} settings
 * @param {Platform} platform
 * @param {string} compiler
 * @param {{source: string, out: string, targets: string[]}} what
 */
async function buildWithMake(settings, platform, compiler, { source, out, targets }) {
  const folder = join(settings.root, source);
  await run(settings, {
    name: `package-${basename(source)}-${platform.name}`,
    title: `building ${source} for ${platform.name}`,
    // relative, because a name of make's has no blanks
    command: [
      ...['make', `-j${availableParallelism()}`, `OUT=${relative(folder, out)}`],
      ...[`CC=${compiler}`, 'CFLAGS=-O2', ...targets],
    ],
    folder,
  });
}

/**
 * @param {string} root of the package
 * @param {{name: string}[]} libraries
 * @returns {{goal: string, output: string}[]} the servers in C whose libraries are there: their goal in the Makefile
 */
export function serversFor(root, libraries) {
  const folder = join(root, 'servers', 'c', 'manifests');
  return readdirSync(folder)
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .filter(({ requires }) =>
      requires.every(
        (/** @type {{library?: string}} */ { library }) =>
          !library || libraries.some(({ name }) => name === `lib${library}`),
      ),
    )
    .map(({ build }) => ({ goal: build.command[1], output: build.output }));
}

/**
 * @param {Platform} platform
 * @param {string} file
 * @returns {string} the version of glibc that it needs
 */
function checkedGlibc(platform, file) {
  const readelf = toolFor(platform, 'readelf') ?? 'readelf';
  const text = execFileSync(readelf, ['--wide', '--dynamic', '--version-info', file], { encoding: 'utf8' });
  const { shared, glibc } = needsIn(text);
  const wrong = shared.filter((name) => !SHARED.test(name));
  if (wrong.length > 0) {
    throw new EnvironmentError(`${file} needs ${wrong.join(', ')}, which a user may not have; link it statically`, {
      code: 'EPACKAGE',
      data: { file, shared: wrong },
    });
  }
  if (isOlder(OLDEST_GLIBC, glibc)) {
    const what = `${file} needs glibc ${glibc}, and the package is for ${OLDEST_GLIBC} and later`;
    throw new EnvironmentError(`${what}; build it on an older system`, { code: 'EPACKAGE', data: { file, glibc } });
  }
  return glibc;
}

/**
 * @param {string} text of readelf --dynamic --version-info
 * @returns {{shared: string[], glibc: string}} the libraries that the dynamic linker has to find, and the newest
 *   version of glibc whose symbols are used
 */
export function needsIn(text) {
  const shared = [...text.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name);
  const versions = [...text.matchAll(/\bGLIBC_(\d+(?:\.\d+)+)/g)].map(([, version]) => version);
  return { shared, glibc: versions.reduce((a, b) => (isOlder(a, b) ? b : a), '2.0') };
}

/** @param {string} a @param {string} b versions @returns {boolean} whether a is the lower one */
export function isOlder(a, b) {
  return a.localeCompare(b, 'en', { numeric: true }) < 0;
}
