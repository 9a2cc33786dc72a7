// Fetches a kernel with SCTP for the tests in a guest (test/release/guest.test.js): Debian's cloud kernel, 26 MB,
// unpacked and not installed. Only the image and the modules that the guest loads are kept.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { EnvironmentError } from '../client/errors.js';

const META_PACKAGE = 'linux-image-cloud-amd64';
const KEPT = /^(vmlinuz-.*|(libcrc32c|udp_tunnel|ip6_udp_tunnel|sctp|dummy)\.ko)$/;

/** @param {string} program @param {string[]} args @param {string} [cwd] @returns {string} its stdout */
const output = (program, args, cwd) =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** @returns {string | null} null where the system's package lists have none */
function kernelPackage() {
  try {
    return /Depends: (linux-image-\S+)/.exec(output('apt-cache', ['depends', META_PACKAGE]))?.[1] ?? null;
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {string} folder
 * @throws {EnvironmentError}
 */
function download(name, folder) {
  const args = ['-o', 'APT::Sandbox::User=root', 'download', name];
  try {
    output('apt-get', args, folder);
  } catch {
    try {
      output('apt-get', ['update']); // the package lists may be older than the archive
      output('apt-get', args, folder);
    } catch (cause) {
      throw new EnvironmentError(`apt-get download ${name} failed; run it by hand to see why`, {
        code: 'EDOWNLOAD',
        data: { package: name },
        cause,
      });
    }
  }
}

/**
 * Does nothing if it has been fetched before, or where there is no such package (the guest tests are skipped then).
 * @param {{root: string, say: (line: string) => void}} settings
 */
export function fetchGuestKernel({ root, say }) {
  const target = join(root, 'test/release/guest/build/kernel');
  if (existsSync(target)) return;
  const name = process.arch === 'x64' ? kernelPackage() : null;
  if (name === null) {
    say(`there is no package ${META_PACKAGE}: the tests in a guest with SCTP are skipped`);
    return;
  }
  say(`fetching the kernel of the guest tests (${name})`);
  const folder = mkdtempSync(join(tmpdir(), 'broadside-kernel-'));
  const partial = `${target}.partial`;
  try {
    download(name, folder);
    const [archive] = readdirSync(folder);
    output('dpkg-deb', ['-x', archive, 'content'], folder);
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    const entries = readdirSync(join(folder, 'content'), { recursive: true, withFileTypes: true });
    for (const { parentPath, name: file } of entries.filter((entry) => entry.isFile() && KEPT.test(entry.name))) {
      cpSync(join(parentPath, file), join(partial, basename(file)));
    }
    renameSync(partial, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
