// `node .ci/package/release.js TAG [--notes FILE]`, from .github/workflows/release.yml: checks that the checkout is the
// version that the tag names, and that every file that names a version names this one. Writes the notes of the release,
// and for the workflow the outputs `version` and `private`. Uses built-in modules only.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { UsageError } from '../../client/errors.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @typedef {object} Release
 * @property {string} version
 * @property {boolean} isPrivate the owner has not released it to npm
 * @property {string} notes in Markdown: the section of CHANGELOG.md
 *
 * @param {{tag: string, repository?: string, read?: (name: string) => string}} what repository: OWNER/NAME on GitHub,
 *   where known; read: gives the text of a file of the checkout
 * @returns {Release}
 * @throws {UsageError} lists all that does not agree
 */
export function releaseOf({ tag, repository, read = (name) => readFileSync(join(ROOT, name), 'utf8') }) {
  const manifest = JSON.parse(read('package.json'));
  const { version } = manifest;
  const lock = JSON.parse(read('package-lock.json'));
  const [, date = '', notes = ''] = sectionOf(read('CHANGELOG.md'), version) ?? [];
  const cited = (/** @type {string} */ key) => new RegExp(`^${key}: '?([^'\\n]*)`, 'm').exec(read('CITATION.cff'))?.[1];
  const isPrivate = manifest.private === true;
  const source = manifest.repository?.url ?? 'none';
  const wrong = [
    [tag === `v${version}`, `the tag is ${tag}, and package.json has version ${version}`],
    [lock.version === version && lock.packages[''].version === version, 'package-lock.json has another version'],
    [notes !== '', `CHANGELOG.md has no heading "## ${version} (DATE)", or nothing below it`],
    [cited('version') === version, `CITATION.cff has version ${cited('version')}`],
    [cited('date-released') === date, `CITATION.cff has date-released ${cited('date-released')}, not "${date}"`],
    [read('README.md').includes(`broadside-${version}.tgz`), `README.md does not name broadside-${version}.tgz`],
    // npm compares them when a package comes with its provenance
    [
      isPrivate || repository === undefined || source.replace(/\.git$/, '').endsWith(`github.com/${repository}`),
      `"repository" in package.json is ${source}, and this is github.com/${repository}`,
    ],
  ].flatMap(([holds, text]) => (holds ? [] : [String(text)]));
  if (wrong.length > 0)
    throw new UsageError(`${tag} cannot be released: ${wrong.join('; ')}`, { code: 'ERELEASE', data: { tag, wrong } });
  return { version, isPrivate, notes };
}

/** @param {string} changelog @param {string} version @returns {RegExpExecArray | null} its date, and what is below */
function sectionOf(changelog, version) {
  const heading = `^## ${version.replaceAll('.', '\\.')} \\((\\d{4}-\\d{2}-\\d{2})\\)\\n+`;
  return new RegExp(`${heading}([^]*?)\\s*(?=^## |(?![^]))`, 'm').exec(changelog);
}

/** @param {string[]} args @param {NodeJS.ProcessEnv} env */
function main(args, env) {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { notes: { type: 'string' } } });
  try {
    const { version, isPrivate, notes } = releaseOf({ tag: positionals[0], repository: env.GITHUB_REPOSITORY });
    if (values.notes) writeFileSync(values.notes, `${notes}\n`);
    if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, `version=${version}\nprivate=${isPrivate}\n`);
    console.log(`broadside ${version}${isPrivate ? ', private: it is not published to npm' : ''}`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`release: ${error.message}`);
    process.exitCode = error.exitCode;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2), process.env);
