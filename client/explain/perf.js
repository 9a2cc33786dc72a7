// Profiles of any program, by Linux perf: the kernel takes a stack of each of its threads after each 2 ms of CPU time.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { executableOf } from './executable.js';
import { FIELDS, readSamples } from './perf-script.js';
import { warning } from './warnings.js';

/**
 * @import { ChildProcess } from 'node:child_process'
 * @import { Warning } from '../../config/types.js'
 * @import { Profile, Source } from './profiler.js'
 */

const PER_SECOND = 499;
/** Pages of the buffer of each CPU; without privileges a user may lock little memory. */
const BUFFER_PAGES = 32;
const PARANOID_FILE = '/proc/sys/kernel/perf_event_paranoid';
/** The highest values of perf_event_paranoid with which a user may profile the kernel, and the user's programs. */
const MOST_PARANOID = { kernel: 1, user: 2 };
/** Without looking for symbols on the network, as a distribution may have set up. */
const ENVIRONMENT = { ...process.env, DEBUGINFOD_URLS: '' };

/** @returns {{ event: string } | { problem: Warning }} what this user may sample */
function permitted() {
  if (process.getuid?.() === 0) return { event: 'cpu-clock' };
  const level = existsSync(PARANOID_FILE) ? Number(readFileSync(PARANOID_FILE, 'utf8')) : 0;
  if (level > MOST_PARANOID.user) return { problem: warning('perf-not-permitted', { level }) };
  return { event: level > MOST_PARANOID.kernel ? 'cpu-clock:u' : 'cpu-clock' };
}

/** @implements {Source} */
export class PerfSource {
  name = /** @type {const} */ ('perf');
  needsFreeCore = false;
  /** @type {ChildProcess | null} */
  recorder = null;
  errors = '';
  /** The executables of the server. @type {Set<string>} */
  programs = new Set();
  /** @type {number[]} */
  pids = [];

  /** @param {string} folder for its data */
  constructor(folder) {
    this.file = path.join(folder, 'perf.data');
  }

  /**
   * What a server is started with, so that virtual machines say which method is where.
   * @type {Source['environment']}
   */
  environment({ JAVA_TOOL_OPTIONS = '' }) {
    return {
      JAVA_TOOL_OPTIONS: `${JAVA_TOOL_OPTIONS} -XX:+PreserveFramePointer`.trim(),
      PYTHONPERFSUPPORT: '1',
    };
  }

  /** @type {Source['start']} */
  async start(pids) {
    const permission = permitted();
    if ('problem' in permission) return permission.problem;
    this.pids = pids;
    this.programs = new Set(pids.flatMap((pid) => executableOf(pid) ?? []));
    // its own group: Ctrl+C ends the run, which ends perf
    const recorder = spawn(
      'perf',
      [
        ...['record', '-e', permission.event, '-F', String(PER_SECOND), '-g', '-k', 'CLOCK_MONOTONIC'],
        ...['-m', String(BUFFER_PAGES), '-N', '-o', this.file, '-p', pids.join(',')],
      ],
      { stdio: ['ignore', 'ignore', 'pipe'], detached: true, env: ENVIRONMENT },
    );
    this.recorder = recorder;
    recorder.stderr.setEncoding('utf8').on('data', (text) => {
      this.errors = (this.errors + text).slice(-10_000);
    });
    const failed = once(recorder, 'error').then(([error]) => error);
    const ended = once(recorder, 'exit').then(() => null);
    void ended.catch(() => {});
    const started = await Promise.race([failed, ended, once(recorder, 'spawn').then(() => 'spawn')]);
    if (started === 'spawn') return null;
    this.recorder = null;
    return started?.code === 'ENOENT' ? warning('perf-missing', {}) : warning('perf-failed', this.reason);
  }

  /** What perf said last. */
  get reason() {
    return { reason: this.errors.trim().split('\n').at(-1) ?? '' };
  }

  /** @returns {Promise<Profile>} */
  async stop() {
    const { recorder } = this;
    if (recorder === null) return { samples: [] };
    for (const pid of this.pids) await listCompiled(pid);
    if (recorder.exitCode === null && recorder.signalCode === null) {
      recorder.kill('SIGINT');
      await once(recorder, 'exit');
    }
    this.recorder = null;
    if (!existsSync(this.file)) return { samples: [], problem: warning('perf-failed', this.reason) };
    const script = spawn('perf', ['script', '-i', this.file, ...FIELDS], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: ENVIRONMENT,
    });
    const samples = await readSamples(createInterface({ input: script.stdout }), this.programs);
    return samples.length === 0 ? { samples, problem: warning('perf-failed', this.reason) } : { samples };
  }

  close() {
    this.recorder?.kill('SIGINT');
  }
}

/**
 * Has a Java virtual machine list its compiled methods where perf looks for them, as it does from JDK 17 on.
 * @param {number} pid
 */
async function listCompiled(pid) {
  if (path.basename(executableOf(pid) ?? '') !== 'java') return;
  await promisify(execFile)('jcmd', [String(pid), 'Compiler.perfmap']).catch(() => {}); // then methods have no name
}
