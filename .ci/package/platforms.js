// The platforms that the package has programs for, and what this machine has to build them with: a compiler, and the
// static libraries that the programs take with them.

import { existsSync, readFileSync } from 'node:fs';
import { findProgram } from '../../client/setup/tools.js';

/**
 * @typedef {object} Platform
 * @property {string} name as node calls it
 * @property {string} arch the same
 * @property {string} triplet as gcc and Debian call it
 * @property {string} interpreter the dynamic linker of its glibc
 * @property {string} from the Debian package that brings the cross compiler
 */

/** @type {Platform[]} */
export const PLATFORMS = [
  {
    name: 'linux-x64',
    arch: 'x64',
    triplet: 'x86_64-linux-gnu',
    interpreter: '/lib64/ld-linux-x86-64.so.2',
    from: 'gcc-x86-64-linux-gnu',
  },
  {
    name: 'linux-arm64',
    arch: 'arm64',
    triplet: 'aarch64-linux-gnu',
    interpreter: '/lib/ld-linux-aarch64.so.1',
    from: 'gcc-aarch64-linux-gnu',
  },
];

/** What is linked statically where its archive is there; without it, what needs it is left out. */
export const LIBRARIES = [
  {
    name: 'liburing',
    archive: 'liburing.a',
    as: 'liburing.a',
    licence: 'MIT',
    from: 'liburing-dev',
  },
  { name: 'libuv', archive: 'libuv_a.a', as: 'libuv.a', licence: 'MIT', from: 'libuv1-dev' },
];

/**
 * @param {Platform} platform
 * @param {string} tool such as strip
 * @returns {string | null} the program that works on files of the platform
 */
export function toolFor({ triplet, arch }, tool) {
  const found = findProgram(`${triplet}-${tool}`);
  return found ?? (arch === process.arch ? findProgram(tool) : null);
}

/**
 * @param {Platform} platform
 * @param {string} [root] of the file system
 * @returns {{name: string, archive: string, as: string, licence: string, version: string, copyright: string}[]}
 *   the libraries that are there; archive: its path; as: by which name the linker finds it; copyright: path of its text
 */
export function librariesOf({ triplet }, root = '') {
  return LIBRARIES.flatMap(({ archive, from, ...library }) => {
    const folder = `${root}/usr/lib/${triplet}`;
    const path = `${folder}/${archive}`;
    const description = [library.name, `${library.name}-static`]
      .map((name) => `${folder}/pkgconfig/${name}.pc`)
      .find((each) => existsSync(each));
    if (!existsSync(path) || description === undefined) return [];
    const version = /^Version: *(\S+)/m.exec(readFileSync(description, 'utf8'))?.[1] ?? 'unknown';
    return [{ ...library, archive: path, version, copyright: `${root}/usr/share/doc/${from}/copyright` }];
  });
}
