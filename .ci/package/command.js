// `npm run package [-- --platform linux-x64]`: makes build/package/broadside-<version>.tgz, which `npm install` takes
// and `npm publish` would, and beside it the SBOM. For each platform that this machine has a compiler for, or for those
// given, the tarball holds the engine and the C servers ready to run. Nothing is published.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EnvironmentError, UsageError } from '../../client/errors.js';
import { git } from '../../client/machine/git.js';
import { copySources, pack, setModes, writeManifests } from './contents.js';
import { billOfMaterials, copyLicences } from './licences.js';
import { exitCodesIn, helpOf, manPage } from './man-page.js';
import { librariesOf, PLATFORMS, toolFor } from './platforms.js';
import { buildPrograms, serversFor } from './programs.js';

/**
 * @import { Prebuilt } from '../../client/engine/prebuilt.js'
 * @import { Packed } from './contents.js'
 * @import { Commit } from './licences.js'
 * @import { Platform } from './platforms.js'
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @param {string[] | undefined} names
 * @returns {Platform[]} those named; by default, those that have a compiler
 */
function chosen(names) {
  const unknown = (names ?? []).filter((name) => !PLATFORMS.some((platform) => platform.name === name));
  if (unknown.length > 0) {
    const known = PLATFORMS.map(({ name }) => name);
    throw new UsageError(`--platform: ${unknown.join(', ')} is not one of ${known.join(', ')}`, {
      data: { unknown, known },
    });
  }
  return PLATFORMS.filter((platform) => (names ? names.includes(platform.name) : toolFor(platform, 'gcc') !== null));
}

/**
 * @param {string} root
 * @returns {Promise<Commit | null>} of the checkout; null: it has none, or files differ from it
 */
async function commitOf(root) {
  const said = async (/** @type {string[]} */ ...words) =>
    (await git(words, { cwd: root }).catch(() => ({ stdout: '' }))).stdout.trim();
  const [id, seconds] = (await said('log', '--max-count=1', '--no-show-signature', '--format=%H %ct')).split(' ');
  if (id === '' || (await said('status', '--porcelain', '--untracked-files=no')) !== '') return null;
  return { id, time: new Date(Number(seconds) * 1000).toISOString() };
}

/**
 * @param {{root?: string, out?: string, names?: string[], say?: (line: string) => void}} [options] out: a folder
 * @returns {Promise<Packed & {tarball: string, bill: string, missing: string[],
 *   prebuilt: Prebuilt}>} missing: platforms without programs
 */
export async function makePackage({ root = ROOT, out = join(root, 'build', 'package'), names, say = () => {} } = {}) {
  const settings = { root, development: false, say };
  const platforms = chosen(names);
  const stage = join(out, 'stage');
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  await copySources(root, stage);
  writeManifests(root, stage);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const commit = await commitOf(root);
  /** @type {Prebuilt} */
  const prebuilt = {
    version,
    commit: commit?.id ?? null,
    openssl: process.versions.openssl.split('.')[0],
    platforms: {},
  };
  /** @type {Map<string, ReturnType<typeof librariesOf>[number]>} */
  const libraries = new Map();
  for (const platform of platforms) {
    prebuilt.platforms[platform.name] = await buildPrograms(settings, platform, {
      work: join(out, 'objects', platform.name),
      target: join(stage, 'prebuilt', platform.name),
      servers: serversFor(stage, librariesOf(platform)),
    });
    for (const library of librariesOf(platform)) libraries.set(`${library.name} ${library.version}`, library);
  }
  mkdirSync(join(stage, 'prebuilt'), { recursive: true });
  writeFileSync(join(stage, 'prebuilt', 'prebuilt.json'), `${JSON.stringify(prebuilt, null, 2)}\n`);
  copyLicences([...libraries.values()], join(stage, 'prebuilt', 'licences'));
  const bill = `${JSON.stringify(billOfMaterials(stage, [...libraries.values()], commit), null, 2)}\n`;
  writeFileSync(join(stage, 'sbom.cdx.json'), bill);
  const exitCodes = exitCodesIn(readFileSync(join(stage, 'config/guides/conditions.md'), 'utf8'));
  writeFileSync(join(stage, 'broadside.1'), manPage({ version, texts: helpOf(stage), exitCodes }));
  setModes(stage);
  const packed = pack(stage);
  const tarball = join(out, packed.filename);
  renameSync(join(stage, packed.filename), tarball);
  const missing = PLATFORMS.filter((platform) => !platforms.includes(platform)).map(({ name }) => name);
  return { ...packed, tarball, bill: join(stage, 'sbom.cdx.json'), missing, prebuilt };
}

/** @param {string[]} args */
async function main(args) {
  const { values } = parseArgs({ args, options: { platform: { type: 'string', multiple: true } } });
  const made = await makePackage({
    names: values.platform,
    say: (line) => void process.stderr.write(`package: ${line}\n`),
  });
  const mb = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
  console.log(`${made.tarball}\n${made.files.length} files, ${mb(made.size)}, unpacked ${mb(made.unpackedSize)}`);
  for (const [name, { glibc, libraries, programs }] of Object.entries(made.prebuilt.platforms)) {
    const linked = Object.entries(libraries).map(([library, version]) => `${library} ${version ?? 'not included'}`);
    console.log(`${name}: ${Object.keys(programs).length} programs, glibc ${glibc} or later, ${linked.join(', ')}`);
  }
  for (const name of made.missing) {
    const { from } = PLATFORMS.find((platform) => platform.name === name) ?? { from: '' };
    console.log(`${name}: no programs, as there is no compiler for it (apt-get install ${from})`);
  }
  console.log(`SBOM: ${made.bill}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((error) => {
    const known = error instanceof EnvironmentError || error instanceof UsageError;
    console.error(known ? `package: ${error.message}` : error);
    process.exitCode = known ? error.exitCode : 1;
  });
}
