// Writes environment.json: the conditions under which a run was measured. Values that cannot be read are left out.
import { readdir, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellWord } from '../invocation.js';
import { keptSecrets } from '../protocols/kept-secrets.js';
import { withoutSecrets } from '../words/secrets.js';
import { tcpSettings } from '../measure/syn-retries.js';
import { threadsPerCore } from '../machine/cpu-topology.js';
import { git } from '../machine/git.js';
import { ownIdentity } from '../machine/process-identity.js';
import { transportSysctls } from '../transports/index.js';

/** @import { Host } from '../machine/host.js' */

const root = fileURLToPath(new URL('../..', import.meta.url));
const SYSCTLS = Object.freeze([
  'net/core/somaxconn',
  'net/core/rmem_default',
  'net/core/wmem_default',
  'net/core/rmem_max',
  'net/core/wmem_max',
  'net/ipv4/ip_local_port_range',
  'net/ipv4/ip_local_reserved_ports',
  'net/ipv4/tcp_max_syn_backlog',
  'net/ipv4/tcp_mem',
  'net/ipv4/tcp_rmem',
  'net/ipv4/tcp_wmem',
  'net/ipv4/tcp_congestion_control',
  'net/ipv4/tcp_syncookies',
  'net/ipv4/tcp_syn_retries',
  'net/ipv4/tcp_syn_linear_timeouts',
  'net/ipv4/tcp_rto_max_ms',
  'net/ipv4/tcp_max_orphans',
  'net/ipv4/tcp_tw_reuse',
  'net/ipv4/tcp_max_tw_buckets',
  'net/netfilter/nf_conntrack_max',
  'fs/file-max',
  'kernel/pid_max',
  'kernel/threads-max',
  'vm/max_map_count',
]);

/**
 * environment.json. server: another machine that starts the servers. The run's Place adds the facts of other hosts.
 * @typedef {Awaited<ReturnType<typeof describeEnvironment>> & { server?: ServerMachine }} Environment
 * @typedef {Partial<Awaited<ReturnType<typeof describeMachine>>> & { address?: string }} ServerMachine
 */

/**
 * The zero of every file of a run.
 * @typedef {{ monotonicNs: bigint, epochMs: number }} Zero  CLOCK_MONOTONIC and the wall clock at the same moment
 */

/** @param {{ t0: Zero, host: Host, argv: string[] }} known  argv: of this process */
export async function describeEnvironment({ t0, host, argv }) {
  const words = withoutSecrets(argv, keptSecrets);
  return {
    ...(await describeMachine(host)),
    commandLine: commandLineOf(words),
    argv: words,
    process: ownIdentity(), // the run is in progress while this process is alive
    t0: { monotonicNs: String(t0.monotonicNs), epochMs: t0.epochMs, iso: new Date(t0.epochMs).toISOString() },
  };
}

/**
 * Describes this machine for environment.json.
 * @param {Host} host
 */
export async function describeMachine(host) {
  const [versions, commit, sysctl, governor] = await Promise.all([
    readVersions(),
    readCommit(),
    readSysctls(),
    text('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor'),
  ]);
  const [cpuMhz, linkMbps] = await Promise.all([readClock(), readLinks()]);
  const tcp = tcpSettings(sysctl, host.pageBytes);
  return {
    kernel: `${os.type()} ${os.release()}`,
    architecture: os.arch(),
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: host.cores,
    ...(host.cpuQuota !== null && { cpuQuota: host.cpuQuota }),
    threadsPerCore: threadsPerCore(host.topology),
    ...(cpuMhz === null ? {} : { cpuMhz }),
    ...(Object.keys(linkMbps).length === 0 ? {} : { linkMbps }),
    memoryBytes: host.memoryBytes,
    node: process.versions.node,
    versions,
    ...(commit === null ? {} : { commit }),
    limits: /** @type {Record<string, number | null>} */ ({
      descriptors: host.descriptors,
      openFiles: host.openFiles,
      ports: host.ports,
      threads: host.threads,
      somaxconn: host.somaxconn,
      tcpMemoryBytes: host.tcpMemoryBytes,
      tcpMemoryMaxBytes: host.tcpMemoryMaxBytes,
      memoryAvailableBytes: host.memoryAvailableBytes,
      diskFreeBytes: host.diskFreeBytes,
    }),
    sysctl,
    ...(tcp === undefined ? {} : { tcp }),
    ...(governor === null ? {} : { governor }),
  };
}

/**
 * The command that repeats the run.
 * @param {string[]} argv of the process: node, the program, then its arguments
 * @param {NodeJS.ProcessEnv} [env] in which npm sets the script that it runs
 * @returns {string}
 */
export function commandLineOf([, , command = '', ...args], env = process.env) {
  const quoted = args.map(shellWord);
  if (env.npm_lifecycle_event !== command) return ['broadside', command, ...quoted].join(' ');
  return ['npm run', command, ...(quoted.length > 0 ? ['--'] : []), ...quoted].join(' ');
}

/** @param {string} file @returns {Promise<string | null>} */
async function text(file) {
  return readFile(file, 'utf8').then(
    (content) => content.trim().replace(/\s+/g, ' '),
    () => null,
  );
}

/** @param {string} file @returns {Promise<string>} with its line ends; empty if it cannot be read */
const raw = (file) => readFile(file, 'utf8').catch(() => '');

/**
 * @returns {Promise<{now: number, most?: number} | null>} clock of the first CPU, MHz; null: it is not known
 */
async function readClock() {
  const now = os.cpus()[0]?.speed || Number(/^cpu MHz\s*: (.*?)$/m.exec(await raw('/proc/cpuinfo'))?.[1] ?? 0);
  const maxMhz = Number(await text('/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq')) / 1000;
  if (!(now > 0)) return null;
  return { now, ...(maxMhz > 0 ? { most: maxMhz } : {}) };
}

/** @returns {Promise<Record<string, number>>} Mbit/s by name, of network interfaces whose driver tells the speed */
async function readLinks() {
  const names = Object.keys(os.networkInterfaces()).filter((name) => name !== 'lo');
  const speeds = await Promise.all(names.map((name) => text(`/sys/class/net/${name}/speed`)));
  return Object.fromEntries(names.map((name, i) => [name, Number(speeds[i])]).filter(([, speed]) => Number(speed) > 0));
}

/** @returns {Promise<Record<string, string | undefined>>} of this package and the parts of Node */
async function readVersions() {
  const { name, version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  return { [name]: version, v8: process.versions.v8, uv: process.versions.uv, openssl: process.versions.openssl };
}

/** @returns {Promise<string | null>} the checkout's commit, with '+' when files differ from it */
async function readCommit() {
  const options = { cwd: root, timeoutMs: 5000 };
  try {
    const { stdout: top } = await git(['rev-parse', '--show-toplevel', 'HEAD'], options);
    const [folder, hash] = top.trim().split('\n');
    if (path.resolve(folder) !== path.resolve(root)) return null;
    const { stdout: changed } = await git(['status', '--porcelain', '--untracked-files=no'], options);
    return hash + (changed.trim() === '' ? '' : '+');
  } catch {
    return null;
  }
}

/** @returns {Promise<string[]>} sysctls of the transports */
async function sysctlsInFolders() {
  const lists = transportSysctls.map(async (folder) => {
    const names = await readdir(`/proc/sys/${folder}`).catch(() => []);
    return names.sort().map((name) => `${folder}/${name}`);
  });
  return (await Promise.all(lists)).flat();
}

async function readSysctls() {
  const names = [...SYSCTLS, ...(await sysctlsInFolders())];
  const pairs = await Promise.all(
    names.map(async (name) => /** @type {const} */ ([name.replaceAll('/', '.'), await text(`/proc/sys/${name}`)])),
  );
  return Object.fromEntries(pairs.filter(([, value]) => value !== null));
}
