// The programs that a build needs, looked for on the PATH before anything is started. Where one is missing, one line names
// the package to install.

import { findProgram } from '../../servers/launcher/process/find-program.js';
import { EnvironmentError } from '../errors.js';

export { findProgram };

/** What is needed, the programs that will do, and the Debian and Ubuntu package that brings it. */
const NEEDED = [
  { what: 'Python 3', programs: ['python3'], from: 'python3' },
  { what: 'make', programs: ['make'], from: 'build-essential' },
  { what: 'a C compiler', programs: ['cc', 'gcc', 'clang'], from: 'build-essential' },
];

/**
 * @param {{path?: string, env?: NodeJS.ProcessEnv}} [options] PATH and the variables that name compilers
 * @throws {EnvironmentError} ETOOLS, when something is missing; data: missing, packages
 */
export function requireBuildTools({ env = process.env, path = env.PATH ?? '' } = {}) {
  const named = [env.PYTHON, undefined, env.CC];
  const missing = NEEDED.filter(({ programs }, index) => {
    return !named[index] && !programs.some((program) => findProgram(program, path));
  });
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map(({ from }) => from))].sort();
  throw new EnvironmentError(
    `${new Intl.ListFormat('en').format(missing.map(({ what }) => what))} ${missing.length > 1 ? 'are' : 'is'} needed to build and ` +
      `not on the PATH. On Debian and Ubuntu: apt-get install -y ${packages.join(' ')}`,
    { code: 'ETOOLS', data: { missing: missing.map(({ what }) => what), packages } },
  );
}
