// Detects options that npm has taken out of a command line.

import { UsageError } from '../errors.js';

/** Options that npm has, too; they may be set for npm. */
const NPM_OWN = new Set(['json', 'force', 'description', 'name', 'target']);

/**
 * Without `--` npm reads the options of a script as its own, and passes on the words between them.
 * @param {string[]} options of the command @param {NodeJS.ProcessEnv} env as npm leaves it
 * @returns {UsageError | null} what to type instead; null: npm has taken nothing
 */
export function takenByNpm(options, env) {
  const { npm_lifecycle_event: script } = env;
  if (script === undefined) return null;
  const has = (/** @type {string} */ name) =>
    env[`npm_config_${name.toLowerCase().replaceAll('-', '_')}`] !== undefined;
  const long = options.filter((name) => name.length > 1 && !NPM_OWN.has(name) && has(name)).map((name) => `--${name}`);
  const hasShort =
    options.includes('c') && (has('call') || Object.keys(env).some((name) => /^npm_config_c\d+$/.test(name)));
  const taken = [...(hasShort ? ['-c'] : []), ...long];
  if (taken.length === 0) return null;
  const text = `npm has taken ${taken.join(', ')} for itself: type -- before the options, as in npm run ${script} -- ${taken[0]} ...`;
  return new UsageError(text, { code: 'EARGUMENTS', data: { taken } });
}
