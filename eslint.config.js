// The lint rules: eslint's recommended set and a few that have caught real defects. No rules of taste.

import js from '@eslint/js';

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
    'EventSource IntersectionObserver MutationObserver HTMLElement localStorage Chart addEventListener Blob NodeFilter',
);

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
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
    },
  },
  { files: ['test/**/*.js'], languageOptions: { globals: mocha } },
  // These run in the report's page; the tests of it also write functions that run there.
  { files: ['report/browser/**/*.js', 'test/report/**/*.js'], languageOptions: { globals: browser } },
];
