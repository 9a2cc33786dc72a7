// `node .ci/bare-machines.js [NAME...]`, as root: tries the commands of README.md on machines that have what README.md
// asks for and nothing else. Each cell is a Debian made by mmdebstrap that differs from the others in one thing. A
// developer's machine has all optional packages installed, so nothing else notices what only works with them. Prints
// one line for each cell. Ends with 1 when a cell fails, or more than one cannot run.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../client/setup/tools.js';
import { CELLS, measured, PACKAGING, runsAllTests, succeeded } from './machines/cells.js';
import { Layers } from './machines/layers.js';
import { Machine } from './machines/machine.js';
import { readInstructions } from './machines/readme.js';

/**
 * @import { Cell, Step, System } from './machines/cells.js'
 * @import { Outcome, Traits } from './machines/machine.js'
 * @import { Instructions } from './machines/readme.js'
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'build', 'machines');
/** Lines of its output that a failed cell shows. */
const SHOWN_LINES = 40;
/** Of what runs beside a whole test run: it gets the time that the tests leave. */
const BACKGROUND = 19;

/** @typedef {{name: string, result: 'passed' | 'failed' | 'skipped', seconds: number, told: string}} Row */

/** Makes machines; each of its layers is made once. */
class Workshop {
  /** @param {Instructions} instructions */
  constructor(instructions) {
    this.instructions = instructions;
    this.layers = new Layers(ROOT, join(FOLDER, 'layers'));
    /** @type {Map<string, Promise<Machine>>} machines on which the first command has run, by their system */
    this.ready = new Map();
    /** @type {Promise<string> | null} path of the tarball of the package */
    this.package = null;
  }

  /** Makes the layers of some cells at the same time. @param {Cell[]} cells */
  async makeLayers(cells) {
    await Promise.all([this.layers.npmCache(), ...cells.map(({ system }) => this.#debian(system))]);
  }

  /** @param {System} system @returns {Promise<string>} path of its layer */
  #debian({ suite, tools = this.instructions.packages, libraries = [] }) {
    return this.layers.debian(suite, [...tools, ...libraries, 'ca-certificates']);
  }

  /** @param {Cell} cell @returns {Promise<Machine>} */
  async #machineFor({ name, system, isSetUp = false, hasPackage = false, traits = {}, prepare }) {
    const scratch = join(FOLDER, 'cells', name);
    const machine = isSetUp
      ? (await this.#readyMachine(system)).copy(scratch, traits)
      : await this.#bareMachine(scratch, system, traits, hasPackage);
    if (prepare) await machine.prepare(prepare);
    return machine;
  }

  /**
   * @param {string} scratch
   * @param {System} system
   * @param {Traits} traits
   * @param {boolean} hasPackage
   * @returns {Promise<Machine>} with a clone of this checkout's last commit, or the package, in the folder
   */
  async #bareMachine(scratch, system, traits, hasPackage = false) {
    const { user = 'root' } = traits;
    const home = user === 'root' ? '/root' : `/home/${user}`;
    const prefix = system.hasNvm ? `${home}/.nvm/versions/node/v${system.node}` : '/usr/local';
    const layers = [await this.layers.node(system.node, prefix), await this.#debian(system)];
    const machine = new Machine(scratch, layers, [`${prefix}/bin`], traits);
    machine.write('/etc/hosts', '127.0.0.1 localhost\n::1 localhost\n'); // as every installer does, and mmdebstrap does not
    if (traits.online) machine.goOnline();
    else await machine.copyIn(await this.layers.npmCache(), `${home}/.npm`);
    if (user !== 'root') await machine.prepare(`useradd ${user}`);
    if (hasPackage) {
      const tarball = await this.#tarball();
      await machine.copyIn(tarball, join(machine.folder, basename(tarball)));
    } else execFileSync('git', ['clone', '--quiet', ROOT, join(machine.upper, machine.folder)]);
    if (user !== 'root') await machine.prepare(`chown -R ${user}: ${home}`);
    return machine;
  }

  /** @param {System} system @returns {Promise<Machine>} */
  #readyMachine(system) {
    const key = JSON.stringify(system);
    const known = this.ready.get(key) ?? this.#setUp(system);
    this.ready.set(key, known);
    return known;
  }

  /**
   * @param {System} system
   * @returns {Promise<Machine>} set up as a user does it: online, by the first command of README.md
   */
  async #setUp(system) {
    const scratch = join(FOLDER, 'cells', `set-up-${this.ready.size}`);
    const machine = await this.#bareMachine(scratch, system, { online: true });
    const { first: command } = this.instructions;
    const outcome = await machine.run(command, { niceness: BACKGROUND });
    const found = checked(command, measured, outcome, machine);
    console.log(`set-up of a machine for other cells: ${outcome.seconds.toFixed(0)} s, ${found}`);
    return machine;
  }

  /** @returns {Promise<string>} path of the package, made as README.md says on a machine with git and all libraries */
  #tarball() {
    this.package ??= (async () => {
      const ready = await this.#readyMachine(PACKAGING);
      const machine = ready.copy(join(FOLDER, 'cells', 'package-made'), {});
      const outcome = await machine.run(this.instructions.packaged.make, { niceness: BACKGROUND });
      checked(this.instructions.packaged.make, succeeded, outcome, machine);
      const folder = join(machine.upper, machine.folder, 'build', 'package');
      return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'no tarball');
    })();
    return this.package;
  }

  /** @param {Cell} cell @returns {Promise<string>} what was found */
  async try(cell) {
    const machine = await this.#machineFor(cell);
    const niceness = runsAllTests(cell) ? 0 : BACKGROUND;
    const told = [];
    for (const { command, check } of cell.steps) {
      const words = command(this.instructions);
      const outcome = await machine.run(words, { niceness });
      told.push(`${checked(words, check, outcome, machine)} (${outcome.seconds.toFixed(0)} s)`);
    }
    machine.remove();
    return told.join('; ');
  }
}

/**
 * @param {string} command
 * @param {Step['check']} check
 * @param {Outcome} outcome
 * @param {Machine} machine
 * @returns {string} what the check found
 * @throws {Error} with the last lines of the output
 */
function checked(command, check, outcome, machine) {
  try {
    return check(outcome, machine);
  } catch (error) {
    const lines = outcome.output.trimEnd().split('\n').slice(-SHOWN_LINES);
    const { message } = /** @type {Error} */ (error);
    throw new Error(`${command}: ${message}\n${lines.map((line) => `    ${line}`).join('\n')}\n    (${machine.log})`, {
      cause: error,
    });
  }
}

/** @returns {string | null} why no cell can run here; null when they can */
function obstacle() {
  if (process.getuid?.() !== 0) return 'root is needed to mount file systems and to change the root directory';
  const missing = ['mmdebstrap', 'unshare', 'ip', 'git'].filter((program) => findProgram(program) === null);
  return missing.length > 0 ? `${missing.join(', ')} not installed (node .ci/system-packages.js)` : null;
}

/**
 * @param {Cell} cell
 * @param {Workshop} workshop
 * @returns {Promise<Row>}
 */
async function rowOf(cell, workshop) {
  const started = Date.now();
  const row = (/** @type {Row['result']} */ result, /** @type {string} */ told) => ({
    name: cell.name,
    result,
    seconds: (Date.now() - started) / 1000,
    told,
  });
  const reason = obstacle();
  if (reason !== null) return row('skipped', reason);
  try {
    return row('passed', await workshop.try(cell));
  } catch (error) {
    return row('failed', /** @type {Error} */ (error).message);
  }
}

/** @param {string[]} names */
async function main(names) {
  const unknown = names.filter((name) => !CELLS.some((cell) => cell.name === name));
  if (unknown.length > 0) {
    console.error(
      `bare-machines: no cell ${unknown.join(', ')}; there are ${CELLS.map(({ name }) => name).join(', ')}`,
    );
    process.exitCode = 2;
    return;
  }
  const workshop = new Workshop(readInstructions(join(ROOT, 'README.md')));
  mkdirSync(join(FOLDER, 'layers'), { recursive: true });
  /** @type {Row[]} */
  const rows = [];
  const cells = CELLS.filter(({ name }) => names.length === 0 || names.includes(name));
  if (obstacle() === null) await workshop.makeLayers(cells);
  const tryNext = async (/** @type {Cell[]} */ waiting) => {
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
      const row = await rowOf(cell, workshop);
      rows.push(row);
      console.log(
        `${row.name.padEnd(20)} ${row.result.padEnd(7)} ${row.seconds.toFixed(0).padStart(4)} s  ${row.told}`,
      );
    }
  };
  // One whole test run at a time, and the others beside it.
  const others = cells.filter((cell) => !runsAllTests(cell));
  await Promise.all([tryNext(cells.filter(runsAllTests)).then(() => tryNext(others)), tryNext(others)]);
  if (names.length === 0) workshop.layers.removeUnused();
  const failed = rows.filter(({ result }) => result === 'failed');
  const skipped = rows.filter(({ result }) => result === 'skipped');
  if (skipped.length > 1) console.error(`bare-machines: ${skipped.length} cells could not run; at most one may`);
  process.exitCode = failed.length > 0 || skipped.length > 1 ? 1 : 0;
}

await main(process.argv.slice(2));
