// The lint rules: eslint's recommended set, a few that have caught real defects, and who may import whom. No rules of
// taste.

import js from '@eslint/js';
import comments from './test/lint/comments.js';
import imports from './test/lint/imports.js';

/**
 * @param {string} names
 * @returns {Record<string, 'readonly'>}
 */
const readonly = (names) => Object.fromEntries(names.split(' ').map((name) => [name, 'readonly']));

const everywhere = readonly(
  'console setTimeout clearTimeout setInterval clearInterval queueMicrotask structuredClone URL URLSearchParams ' +
    'TextEncoder TextDecoder AbortController AbortSignal Event EventTarget performance fetch atob btoa',
);
const node = readonly('process Buffer setImmediate clearImmediate global');
const mocha = readonly('describe it before after beforeEach afterEach');
const browser = readonly(
  'window document location navigator getComputedStyle matchMedia requestAnimationFrame ResizeObserver ' +
    'EventSource IntersectionObserver MutationObserver Element HTMLElement localStorage Chart addEventListener Blob NodeFilter',
);

/**
 * The folders and files of the client, from the lowest layer to the highest: each imports only lower ones. What agents
 * and predecessors add to commands is of the layer of these.
 */
const LAYERS = [
  ['errors.js'],
  ['measure', 'engine'],
  ['invocation.js', 'words'],
  ['judge', 'protocols'],
  ['transports'],
  ['scenario', 'machine'],
  ['plan', 'store', 'console', 'exports'],
  ['run', 'live', 'setup'],
  ['agents', 'explain'],
  ['commands'],
  ['cli.js'],
];
const PREDECESSORS = ['ace', 'raids', 'volley'];
const COMMANDS_OF_AGENTS = ['client/agents/commands', 'client/agents/index.js'];
/** Paths of other folders. @type {Record<string, string[]>} */
const ADDED = {
  commands: [
    ...['ace', 'raids', 'volley', 'index.js'].map((name) => `client/predecessors/${name}`),
    ...COMMANDS_OF_AGENTS,
  ],
};

/** @param {string} name of a layer's folder or file */
const pathsOf = (name) => [`client/${name}`, ...(ADDED[name] ?? [])];
/** @param {string} name of a layer's folder or file @returns {string[]} paths below it that are of a higher layer */
const higherIn = (name) => (name === 'agents' ? COMMANDS_OF_AGENTS : []);

/** Within the client. */
const layers = LAYERS.flatMap((names, index) =>
  names.map((name) => {
    const lower = LAYERS.slice(0, index).flat().reverse();
    const others = LAYERS.flat().filter((other) => other !== name && !lower.includes(other));
    return {
      target: pathsOf(name),
      without: higherIn(name),
      from: others.flatMap(pathsOf),
      message: `client/${name} may import ${lower.length === 0 ? 'nothing of the client' : `only ${lower.join(', ')}`}.`,
    };
  }),
).filter(({ from }) => from.length > 0);

/** Files of servers/ that set-up uses too: they need built-in modules only. */
const SHARED = ['builder/content-hash.js', 'builder/lock.js', 'process/find-program.js', 'process/lines.js'].map(
  (name) => `launcher/${name}`,
);

const belowCommands = LAYERS.flat().filter((name) => !['commands', 'cli.js'].includes(name));

/** Between the parts. */
const parts = [
  {
    target: belowCommands.flatMap(pathsOf),
    without: belowCommands.flatMap(higherIn),
    from: 'report',
    message: 'In the client only commands and predecessors may import report/.',
  },
  {
    target: belowCommands.filter((name) => name !== 'setup').flatMap(pathsOf),
    without: belowCommands.flatMap(higherIn),
    from: 'servers',
    message: 'In the client only commands, predecessors and setup may import servers/.',
  },
  {
    target: 'client/setup',
    from: 'servers',
    except: ['launcher/index.js', ...SHARED],
    message: 'client/setup may import launcher/index.js and what needs built-in modules only.',
  },
  { target: 'servers', from: ['client', 'report'], message: 'servers/ may import only config/.' },
  { target: 'config', from: ['report', 'servers'], message: 'config/ may import no other part.' },
  {
    target: 'config',
    from: 'client',
    except: ['agents/codec.js', 'errors.js', 'judge', 'measure', 'scenario'],
    message: 'config/ may import only judge, measure, scenario and the codec of agents: their lists are in its files.',
  },
  { target: 'report', from: ['servers', 'config'], message: 'report/ may import only client/.' },
  {
    target: 'report',
    from: 'client',
    except: ['measure', 'words', 'judge', 'transports', 'scenario/describe.js', 'scenario/load-text.js'],
    message:
      'report/ may import only measure, words, judge, transports and the descriptions of scenario/ of the client.',
  },
  ...PREDECESSORS.map((name) => ({
    target: `client/predecessors/${name}`,
    from: 'client/predecessors',
    except: [name, 'index.js'],
    message: 'One predecessor may not import another.',
  })),
  { target: ['client', 'servers', 'report', 'config'], from: ['test', '.ci'], message: 'Only tests may import test/.' },
];

/** What only a checkout runs, with what the package does not come with. */
const DEVELOPMENT_FILES = [
  'eslint.config.js',
  'test',
  '.ci',
  'client/engine/arrow-template.js',
  'config/compile-validators.js',
  'config/schema-types.js',
];

/** What loads NATS. */
const NATS_FILES = ['agent', 'broker', 'connection'].map((name) => `client/agents/${name}.js`);

/** The lists with a line for each predecessor or transport. */
const LISTS = ['client/predecessors/index.js', 'client/transports/index.js', 'client/transports/facts.js'];
const rooms = {
  files: ['{client,config,report}/**/*.js'],
  ignores: ['client/predecessors/**', 'client/transports/sctp/**', ...LISTS],
  plugins: { rooms: imports },
  rules: {
    'rooms/zones': [
      'error',
      [
        {
          target: '.',
          from: ['client/transports/sctp', ...PREDECESSORS.map((name) => `client/predecessors/${name}`)],
          message: `Only the lists name a predecessor or SCTP: ${LISTS.join(', ')}.`,
        },
      ],
    ],
  },
};

export default [
  { ignores: ['**/build/', 'coverage/', 'logs/', 'report/*.html', '**/target/', '**/node_modules/'] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, sourceType: 'module', globals: { ...everywhere, ...node } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' }],
      'prefer-const': 'error',
      'no-var': 'error',
      'no-redeclare': ['error', { builtinGlobals: false }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-template-curly-in-string': 'error',
      'no-self-compare': 'error',
      'no-unmodified-loop-condition': 'error',
      'no-unreachable-loop': 'error',
      'array-callback-return': 'error',
      'no-throw-literal': 'error',
    },
  },
  {
    plugins: { comments, imports },
    rules: {
      'comments/plain': 'error',
      'imports/zones': ['error', [...layers, ...parts]],
      'imports/no-circle': 'error',
      'imports/declared': ['error', { development: DEVELOPMENT_FILES }],
    },
  },
  rooms,
  {
    files: ['client/**/*.js'],
    ignores: NATS_FILES,
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^@nats-io/', message: 'Only client/agents/ knows NATS.' },
            {
              regex: '(agents|^\\.)/(agent|broker|connection)\\.js$',
              message: 'It loads NATS, which only --nats needs: import() it.',
            },
          ],
        },
      ],
    },
  },
  {
    files: [
      'client/setup/**/*.js',
      'client/cli.js',
      'client/{engine/prebuilt,store/replace-file}.js',
      ...SHARED.map((name) => `servers/${name}`),
    ],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^(?!node:|fs$|\\.)', message: 'This runs before packages are installed: only built-in modules.' },
          ],
        },
      ],
    },
  },
  {
    files: ['client/**/*.js'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.property.name=/^std(out|err)$/][property.name='write']",
          message: 'It may quote others: print() of client/console/print.js.',
        },
      ],
    },
  },
  { files: ['**/*.cjs'], languageOptions: { sourceType: 'commonjs', globals: readonly('require') } },
  { files: ['test/**/*.js'], languageOptions: { globals: mocha } },
  // These run in the report's page; the tests of it also write functions that run there.
  { files: ['report/browser/**/*.js', 'test/{report,release}/**/*.js'], languageOptions: { globals: browser } },
];
