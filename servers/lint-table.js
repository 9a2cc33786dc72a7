// How the servers of each language are checked and tested: one row per language; its commands run in its folder. C is
// checked by .ci/run itself, Node by the repository's eslint and tsc.

/** @import { Requirement } from './launcher/manifest/requirements.js' */

const PYTHON = 'build/dev/bin';

/**
 * @typedef {object} Row
 * @property {string} folder of servers/
 * @property {Requirement[]} requires
 * @property {{command: string[], output: string, sources: string[]}} [build] of the tools themselves
 * @property {{what: 'format' | 'lint' | 'test', command: string[], failsOnOutput?: true}[]} checks failsOnOutput:
 *   anything on stdout is a failure, even with exit status 0
 */

/** @type {Row[]} */
export const table = [
  {
    folder: 'go',
    requires: [
      { command: 'go', version: ['version'], atLeast: '1.19', remedy: 'apt-get install golang-go' },
      { command: 'gofmt', remedy: 'apt-get install golang-go' },
    ],
    checks: [
      { what: 'format', command: ['gofmt', '-l', '.'], failsOnOutput: true },
      { what: 'lint', command: ['go', 'vet', './...'] },
      { what: 'test', command: ['go', 'test', './...'] },
    ],
  },
  {
    folder: 'rust',
    requires: [
      { command: 'cargo', atLeast: '1.63', remedy: 'apt-get install cargo' },
      { command: 'make', remedy: 'apt-get install build-essential' },
      { check: ['cargo', 'fmt', '--version'], remedy: 'apt-get install rustfmt' },
      { check: ['cargo', 'clippy', '--version'], remedy: 'apt-get install rust-clippy' },
    ],
    checks: [
      { what: 'format', command: ['make', 'format'] },
      { what: 'lint', command: ['make', 'lint'] },
      { what: 'test', command: ['make', 'test'] },
    ],
  },
  {
    folder: 'java',
    requires: [
      { command: 'javac', atLeast: '17', remedy: 'apt-get install openjdk-17-jdk-headless' },
      { command: 'mvn', remedy: 'apt-get install maven' },
      { command: 'make', remedy: 'apt-get install build-essential' },
    ],
    checks: [
      { what: 'format', command: ['make', 'check-format'] },
      { what: 'lint', command: ['make', '--always-make'] }, // javac with every warning, each of them an error
    ],
  },
  {
    folder: 'python',
    requires: [
      { command: 'python3', atLeast: '3.9', remedy: 'apt-get install python3' },
      { check: ['python3', '-c', 'import venv, ensurepip'], remedy: 'apt-get install python3-venv' },
    ],
    build: {
      command: ['python3', 'make_venv.py', 'build/dev', 'requirements-dev.txt'],
      output: 'build/dev-python',
      sources: ['make_venv.py', 'requirements-dev.txt'],
    },
    checks: [
      { what: 'format', command: [`${PYTHON}/ruff`, 'format', '--check', '.'] },
      { what: 'lint', command: [`${PYTHON}/ruff`, 'check', '.'] },
      { what: 'test', command: ['python3', '-m', 'unittest', '--quiet'] },
    ],
  },
];
