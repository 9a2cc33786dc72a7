// Checks the programs that a build needs before anything is built, so that a missing program is one sentence with its
// remedy.

import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCompiler, findProgram } from '../../servers/launcher/process/find-program.js';
import { EnvironmentError } from '../errors.js';
import { tellingLines } from './run.js';

export { findCompiler, findProgram };

/** The needed programs: how each is found, and its package in Debian and Ubuntu. */
const NEEDED = [
  { what: 'Python 3', isThere: hasPython, from: 'python3' },
  { what: 'make', isThere: (/** @type {NodeJS.ProcessEnv} */ env) => isOnPath('make', env), from: 'build-essential' },
  {
    what: 'a C compiler',
    isThere: (/** @type {NodeJS.ProcessEnv} */ env) => findCompiler(env) !== null,
    from: 'build-essential',
  },
];

/** A program that needs the headers and the libraries of C. */
const ONE_LINE = '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n';
/** More than a compiler writes to the folder for temporary files while it compiles ONE_LINE. */
const TEMPORARY_BYTES = 64 * 1024;
const COMPILE_MS = 60_000;

/**
 * @param {NodeJS.ProcessEnv} [env] PATH, the variables that name programs, and TMPDIR
 * @throws {EnvironmentError} ETOOLS: something is missing (data: missing, packages) or the compiler does not work
 *   (data: problem, compiler)
 */
export function requireBuildTools(env = process.env) {
  if (env.CC && findCompiler(env) === null) {
    const text = `CC is "${env.CC}", and there is no such program; unset CC, or set it to a C compiler that is installed`;
    throw new EnvironmentError(text, { code: 'ETOOLS', data: { problem: 'no-such-compiler', compiler: env.CC } });
  }
  const missing = NEEDED.filter(({ isThere }) => !isThere(env));
  const compiler = findCompiler(env);
  if (missing.length === 0 && compiler !== null) return void tryCompiler(compiler, env);
  const packages = [...new Set(missing.map(({ from }) => from))].sort();
  throw new EnvironmentError(
    `${new Intl.ListFormat('en').format(missing.map(({ what }) => what))} ${missing.length > 1 ? 'are' : 'is'} needed to build and ` +
      `not on the PATH. On Debian and Ubuntu: apt-get install -y ${packages.join(' ')}`,
    { code: 'ETOOLS', data: { missing: missing.map(({ what }) => what), packages } },
  );
}

/** @param {string} name @param {NodeJS.ProcessEnv} env */
const isOnPath = (name, { PATH = '' }) => findProgram(name, PATH) !== null;

/** @param {NodeJS.ProcessEnv} env @returns {boolean} whether node-gyp will find Python; it looks in this order */
function hasPython(env) {
  return [env.npm_config_python, env.PYTHON, 'python3'].some((name) => name && isOnPath(name, env));
}

/**
 * Compiles and links one line.
 * @param {string} compiler
 * @param {NodeJS.ProcessEnv} env
 */
function tryCompiler(compiler, env) {
  const [program, ...words] = compiler.split(' ').filter(Boolean);
  const { status, signal, stderr, error } = spawnSync(program, [...words, '-x', 'c', '-', '-o', '/dev/null'], {
    ...{ env, input: ONE_LINE, encoding: 'utf8', timeout: COMPILE_MS },
  });
  if (status === 0) return;
  const ending = signal
    ? `it ended by ${signal}`
    : status === null
      ? error?.message
      : `it ended with exit status ${status}`;
  const [line = ending] = tellingLines((stderr ?? '').split('\n'));
  const folder = env.TMPDIR || '/tmp';
  const errno = writeError(folder);
  const remedy =
    errno === null
      ? 'On Debian and Ubuntu: apt-get install -y build-essential'
      : `It needs ${TEMPORARY_BYTES / 1024} KiB in ${folder}, which cannot be written (${errno}): make room there, or name ` +
        'another folder with TMPDIR';
  throw new EnvironmentError(`the C compiler ${compiler} cannot compile one line: ${line}. ${remedy}`, {
    code: 'ETOOLS',
    data: { problem: errno === null ? 'compiler-fails' : 'no-temporary-files', compiler, line, folder, errno },
  });
}

/** @param {string} folder @returns {string | null} error code if a file cannot be written into it; null if it can */
function writeError(folder) {
  const path = join(folder, `broadside-${process.pid}`);
  try {
    writeFileSync(path, Buffer.alloc(TEMPORARY_BYTES));
    return null;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code ?? 'unknown';
  } finally {
    rmSync(path, { force: true });
  }
}
