// A virtual machine with a kernel that has SCTP: Debian's cloud kernel, an initramfs made here (busybox, the kernel's
// SCTP modules, programs of the host with their libraries) and one script. It boots in about 5 s under emulation, needs
// no rights and no network, and powers off by itself. `node .ci/system-packages.js --release` fetches the kernel.

import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** Where .ci/system-packages.js unpacks the kernel. */
const KERNEL = fileURLToPath(new URL('build/kernel', import.meta.url));
/** In the order in which they are loaded; one that the kernel has built in is left out. */
const MODULES = ['libcrc32c', 'udp_tunnel', 'ip6_udp_tunnel', 'sctp', 'dummy'];
/** @type {Record<string, string>} */
const PARAMETERS = { 'dummy.ko': ' numdummies=2' };
const MEGABYTES = 256;
const END = 'guest: end';

/** @param {string} folder @returns {string[]} all files below it */
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

/** @returns {{image: string, modules: string[]} | null} null where no kernel has been fetched */
export function findKernel() {
  if (!existsSync(KERNEL)) return null;
  const files = filesIn(KERNEL);
  const image = files.find((path) => basename(path).startsWith('vmlinuz-'));
  const modules = MODULES.flatMap((name) => files.find((path) => basename(path) === `${name}.ko`) ?? []);
  return image === undefined || !modules.some((path) => path.endsWith('/sctp.ko')) ? null : { image, modules };
}

/** @param {string} program @returns {string[]} the shared libraries that it needs, with the loader */
function librariesOf(program) {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  return [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path);
}

/**
 * @param {string} root an empty folder
 * @param {{busybox: string, modules: string[], programs: string[], script: string}} content
 */
function fillRoot(root, { busybox, modules, programs, script }) {
  for (const name of ['bin', 'dev', 'lib/modules', 'proc', 'sys', 'tmp'])
    mkdirSync(join(root, name), { recursive: true });
  copyFileSync(busybox, join(root, 'bin/busybox'));
  for (const path of modules) copyFileSync(path, join(root, 'lib/modules', basename(path)));
  for (const path of programs) copyFileSync(path, join(root, 'bin', basename(path)));
  for (const path of new Set(programs.flatMap(librariesOf))) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    copyFileSync(path, join(root, path));
  }
  const init = [
    '#!/bin/busybox sh',
    '/bin/busybox --install -s /bin',
    'export PATH=/bin',
    'mount -t proc proc /proc && mount -t sysfs sys /sys && mount -t devtmpfs dev /dev',
    'ip link set lo up',
    ...modules.map((path) => `insmod /lib/modules/${basename(path)}${PARAMETERS[basename(path)] ?? ''}`),
    script,
    `echo "${END}"`,
    'poweroff -f',
  ];
  writeFileSync(join(root, 'init'), `${init.join('\n')}\n`, { mode: 0o755 });
}

/**
 * Boots the guest, runs the script as its init, and waits until it has powered off.
 * @param {{image: string, modules: string[]}} kernel
 * @param {object} job
 * @param {string} job.qemu the program
 * @param {string} job.busybox
 * @param {string[]} job.programs files of the host, in the guest's PATH by their names
 * @param {string} job.script for busybox sh; what it prints is returned
 * @param {number} job.timeoutMs after which the guest is killed
 * @returns {Promise<string[]>} the lines of the console
 */
export async function runGuest({ image, modules }, { qemu, busybox, programs, script, timeoutMs }) {
  const folder = mkdtempSync(join(tmpdir(), 'broadside-guest-'));
  try {
    const root = join(folder, 'root');
    fillRoot(root, { busybox, modules, programs, script });
    const archive = join(folder, 'initramfs');
    const packed = execFileSync('/bin/sh', ['-c', `find . | ${busybox} cpio -o -H newc`], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 30,
    });
    writeFileSync(archive, gzipSync(packed, { level: 1 }));
    const output = await consoleOf(
      qemu,
      [
        ...['-accel', 'tcg', '-cpu', 'max', '-m', String(MEGABYTES), '-nodefaults', '-no-reboot', '-display', 'none'],
        ...['-serial', 'stdio', '-kernel', image, '-initrd', archive],
        ...['-append', 'console=ttyS0 quiet panic=-1 random.trust_cpu=on'],
      ],
      timeoutMs,
    );
    if (!output.includes(END)) throw new Error(`the guest did not reach its end; its console:\n${output}`);
    return output.split(/\r?\n/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} qemu
 * @param {string[]} args
 * @param {number} timeoutMs
 * @returns {Promise<string>}
 */
function consoleOf(qemu, args, timeoutMs) {
  return new Promise((resolve, reject) => {
    const child = spawn(qemu, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (output += text));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (signal === null) resolve(output);
      else reject(new Error(`the guest was killed after ${timeoutMs} ms; its console:\n${output}`));
    });
  });
}
