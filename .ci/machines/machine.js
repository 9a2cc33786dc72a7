// One bare machine: an overlay over read-only layers, and commands that run in it. Each command has namespaces of its
// own for mounts, processes and (unless it needs a package registry) the network, so nothing that it starts outlives
// it.

import { spawn } from 'node:child_process';
import { copyFileSync, createWriteStream, existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** @import { ChildProcess } from 'node:child_process' */

/**
 * @typedef {object} Traits what is unusual about the machine; by default nothing is
 * @property {boolean} [online] it shares the host's network; otherwise it has a loopback interface and nothing else
 * @property {string} [user] who runs the commands; by default root
 * @property {string} [folder] of the checkout, in the user's home directory
 * @property {boolean} [hasLoopback] the loopback interface is up; default true
 * @property {boolean} [hasIpv6] default true
 * @property {boolean} [isReadOnly] the checkout cannot be written
 * @property {number} [descriptors] the hard limit of RLIMIT_NOFILE
 * @property {string} [cpus] those allowed, as taskset takes them
 * @property {number} [cpuQuota] cores' worth of CPU time that its control group may use
 * @property {string} [wrapper] a program of the checkout, run before each command; it gets the command as arguments
 */

/** @typedef {{status: number, output: string, seconds: number}} Outcome output: stdout and stderr, interleaved */

/** What a login shell of Debian sets, without the folders of Node. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** A command that takes longer is ended: it hangs. */
const DEADLINE_MS = 15 * 60_000;
const GROUPS = '/sys/fs/cgroup';
/** Over which a CPU quota is counted; the kernel's default. */
const QUOTA_PERIOD_US = 100_000;

export class Machine {
  /**
   * @param {string} scratch a folder of its own on the host
   * @param {string[]} layers paths; the first lies on top
   * @param {string[]} folders where Node is, on the machine
   * @param {Traits} traits
   */
  constructor(scratch, layers, folders, traits = {}) {
    this.scratch = scratch;
    this.layers = layers;
    this.traits = { user: 'root', folder: 'broadside', ...traits };
    // Debian's ~/.profile puts the second of these on the PATH.
    this.path = [...folders, `${this.home}/.local/bin`, PATH].join(':');
    this.upper = join(scratch, 'upper');
    rmSync(scratch, { recursive: true, force: true });
    for (const name of ['upper', 'work', 'root']) mkdirSync(join(scratch, name), { recursive: true });
  }

  /**
   * @param {string} scratch
   * @param {Traits} traits
   * @returns {Machine} one that begins as this one is now, which must not be used any more
   */
  copy(scratch, traits) {
    const copy = new Machine(scratch, [this.upper, ...this.layers], [], traits);
    copy.path = this.path;
    return copy;
  }

  /** @returns {string} path of the file with all commands and their output */
  get log() {
    return join(this.scratch, 'log');
  }

  /** @returns {string} the home directory of the user, on the machine */
  get home() {
    return this.traits.user === 'root' ? '/root' : `/home/${this.traits.user}`;
  }

  /** @returns {string} of the checkout, on the machine */
  get folder() {
    return join(this.home, this.traits.folder);
  }

  /**
   * Copies a file or folder of the host to the machine.
   * @param {string} from
   * @param {string} to an absolute path on the machine
   */
  async copyIn(from, to) {
    mkdirSync(join(this.upper, dirname(to)), { recursive: true });
    await finished(spawn('cp', ['--archive', from, join(this.upper, to)], { stdio: 'inherit' }));
  }

  /**
   * @param {string} path of a file on the machine
   * @param {string} text
   */
  write(path, text) {
    mkdirSync(join(this.upper, dirname(path)), { recursive: true });
    writeFileSync(join(this.upper, path), text);
  }

  /** Takes what the host needs to reach the registries: resolver and certificates. */
  goOnline() {
    const files = ['/etc/resolv.conf', process.env.NODE_EXTRA_CA_CERTS ?? ''].filter((path) => existsSync(path));
    for (const path of files) {
      mkdirSync(join(this.upper, dirname(path)), { recursive: true });
      copyFileSync(path, join(this.upper, path));
    }
  }

  /**
   * @param {string} command for a shell, in the folder of the checkout
   * @param {{niceness?: number}} [how]
   * @returns {Promise<Outcome>}
   */
  run(command, { niceness = 0 } = {}) {
    return this.#execute(command, { user: this.traits.user, folder: this.folder, niceness });
  }

  /**
   * Changes the machine before it is used.
   * @param {string} command for a shell of root
   * @throws {Error} when it fails
   */
  async prepare(command) {
    const { status, output } = await this.#execute(command, {
      user: 'root',
      folder: '/',
      niceness: 0,
      isPreparation: true,
    });
    if (status !== 0) throw new Error(`preparing ${basename(this.scratch)}: ${command}: status ${status}\n${output}`);
  }

  /** Removes what the machine has written. */
  remove() {
    rmSync(this.scratch, { recursive: true, force: true });
  }

  /**
   * @param {string} command
   * @param {{user: string, folder: string, niceness: number, isPreparation?: boolean}} how
   * @returns {Promise<Outcome>}
   */
  async #execute(command, { user, folder, niceness, isPreparation = false }) {
    const {
      online = false,
      hasLoopback = true,
      hasIpv6 = true,
      isReadOnly = false,
      descriptors,
      cpus,
      cpuQuota,
      wrapper,
    } = isPreparation ? {} : this.traits;
    const certificates =
      online && process.env.NODE_EXTRA_CA_CERTS ? [`NODE_EXTRA_CA_CERTS=${process.env.NODE_EXTRA_CA_CERTS}`] : [];
    const words = [
      ...['nice', `--adjustment=${niceness}`],
      ...(cpus ? ['taskset', '--cpu-list', cpus] : []),
      ...['chroot', 'root', 'setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups'],
      ...[
        'env',
        '-i',
        `HOME=${user === 'root' ? '/root' : this.home}`,
        `USER=${user}`,
        `PATH=${this.path}`,
        ...certificates,
      ],
      ...['bash', '-c', `cd ${quoted(folder)} && ${wrapper ? `exec ${wrapper} bash -c "$0"` : 'eval "$0"'}`, command],
    ];
    const group = cpuQuota ? new QuotaGroup(basename(this.scratch), cpuQuota) : null;
    const script = [
      // Relative names, as an overlay's options cannot hold a path with a colon or comma.
      `mount -t overlay overlay -o lowerdir=${this.layers.map((_, index) => `layer${index}`).join(':')},upperdir=upper,workdir=work root`,
      'mount -t proc proc root/proc',
      online
        ? 'mount --rbind /sys root/sys'
        : 'mount -t sysfs sysfs root/sys && mount --rbind /sys/fs/cgroup root/sys/fs/cgroup',
      'mount --rbind /dev root/dev',
      ...(online || !hasLoopback ? [] : ['ip link set lo up']),
      ...(online || hasIpv6 ? [] : ['echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6']),
      ...(isReadOnly
        ? [
            `mount --bind ${quoted(`root${folder}`)} ${quoted(`root${folder}`)}`,
            `mount -o remount,ro,bind ${quoted(`root${folder}`)}`,
          ]
        : []),
      ...(descriptors ? [`ulimit -n ${descriptors}`] : []),
      ...(group ? [`echo $$ > ${quoted(join(group.folder, 'cgroup.procs'))}`] : []),
      'exec "$@"',
    ].join('\n');
    const binds = this.layers
      .map((path, index) => `mkdir -p layer${index}; mount --bind ${quoted(path)} layer${index}`)
      .join('\n');
    const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', ...(online ? [] : ['--net'])];
    const child = spawn('unshare', [...namespaces, 'bash', '-euc', `${binds}\n${script}`, 'machine', ...words], {
      cwd: this.scratch,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    const started = Date.now();
    const log = createWriteStream(this.log, { flags: 'a' });
    log.write(`$ ${command}\n`);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
        output += text;
        log.write(text);
      });
    }
    const status = await finished(child);
    log.end();
    group?.remove();
    return { status, output, seconds: (Date.now() - started) / 1000 };
  }
}

/** A control group with a CPU quota, in whichever version of the interface this machine has that controller. */
class QuotaGroup {
  /**
   * @param {string} name
   * @param {number} cores  worth of CPU time that it may use
   */
  constructor(name, cores) {
    const quota = Math.round(cores * QUOTA_PERIOD_US);
    const isVersion1 = existsSync(join(GROUPS, 'cpu'));
    this.folder = join(GROUPS, isVersion1 ? 'cpu' : '', `broadside-${name}`);
    if (!isVersion1) writeFileSync(join(GROUPS, 'cgroup.subtree_control'), '+cpu');
    mkdirSync(this.folder, { recursive: true });
    if (isVersion1) {
      writeFileSync(join(this.folder, 'cpu.cfs_period_us'), String(QUOTA_PERIOD_US));
      writeFileSync(join(this.folder, 'cpu.cfs_quota_us'), String(quota));
    } else writeFileSync(join(this.folder, 'cpu.max'), `${quota} ${QUOTA_PERIOD_US}`);
  }

  /** Once all processes in it have ended. */
  remove() {
    rmdirSync(this.folder);
  }
}

/** @param {string} text @returns {string} one word of a shell */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** @param {ChildProcess} child @returns {Promise<number>} its exit status; 128 when a signal ended it */
function finished(child) {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? 128));
  });
}
