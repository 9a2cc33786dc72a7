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

/**
 * @param {string} folder of the package, with its npm-shrinkwrap.json
 * @param {Library[]} libraries
 * @returns {Record<string, any>} in CycloneDX, without the serial number and the time that npm gives each: the same package has the same
 */
export function billOfMaterials(folder, libraries) {
  const words = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only', '--omit=dev'];
  const { serialNumber: _number, metadata, ...rest } = JSON.parse(npm(folder, words));
  const { timestamp: _time, ...about } = metadata;
  return withLibraries({ ...rest, metadata: about }, libraries);
}

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
