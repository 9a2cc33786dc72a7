// What the package says of its parts that npm does not know: the libraries linked into its programs. Their licences go
// into the package as files, and they are listed in the SBOM beside the npm dependencies.

import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './contents.js';

/** @typedef {{name: string, version: string, licence: string, copyright: string}} Library */

/** @param {Library[]} libraries @param {string} folder gets a file for each */
export function copyLicences(libraries, folder) {
  mkdirSync(folder, { recursive: true });
  for (const { name, copyright } of libraries) copyFileSync(copyright, join(folder, `${name}.txt`));
}

/** @typedef {{ id: string, time: string }} Commit  time: of the commit, in ISO 8601 and UTC */

/**
 * @param {string} folder of the package, with its npm-shrinkwrap.json
 * @param {Library[]} libraries
 * @param {Commit | null} commit that the package is made from; null: there is none
 * @returns {Record<string, any>} in CycloneDX
 */
export function billOfMaterials(folder, libraries, commit) {
  const words = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only', '--omit=dev'];
  return withLibraries(fromCommit(JSON.parse(npm(folder, words)), commit), libraries);
}

/**
 * Two bills of one commit are the same: npm gives each a random serial number and the current time.
 * @param {Record<string, any>} bill as npm makes it
 * @param {Commit | null} commit null: no number and no time
 */
export function fromCommit({ serialNumber: _number, metadata, ...rest }, commit) {
  const { timestamp: _time, ...about } = metadata;
  if (commit === null) return { ...rest, metadata: about };
  return { ...rest, serialNumber: `urn:uuid:${uuidOf(commit.id)}`, metadata: { timestamp: commit.time, ...about } };
}

/**
 * @param {string} id hexadecimal, of 32 digits or more
 * @returns {string} a UUID of version 8 (RFC 9562), the version for custom identifiers
 */
const uuidOf = (id) => id.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5');

/**
 * @param {Record<string, any>} bill as npm makes it
 * @param {Library[]} libraries
 */
export function withLibraries(bill, libraries) {
  const components = libraries.map(({ name, version, licence }) => ({
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: 'required',
    description: 'linked statically into the prebuilt programs',
    licenses: [{ license: { id: licence } }],
  }));
  return { ...bill, components: [...bill.components, ...components] };
}
