// Headers of requests: the flag -H, and the secrets among them. Secrets are taken out of a scenario and its flags
// before they are read, and kept for the workers (protocols/kept-secrets.js). Stored, printed and sent text has only
// the variable's name.

import { headerLines } from '../../protocols/http.js';
import { withHeaders } from '../../protocols/index.js';
import { keptSecrets } from '../../protocols/kept-secrets.js';
import { isSecretHeader, variableIn, variableOf } from '../../words/secrets.js';
import { isObject } from '../../measure/objects.js';
import { mistake, mistakesError } from '../mistakes.js';

/**
 * @import { EnvironmentError, UsageError } from '../../errors.js'
 * @import { Flags } from '../flags.js'
 * @import { Scenario } from '../scenario.js'
 */

/** @typedef {Record<string, string | string[]>} Headers */

const KEY = 'http.headers';
// eslint-disable-next-line no-control-regex
const VALUE = /^[^\0-\x08\x0a-\x1f\x7f]*$/;

/**
 * @param {string[]} texts of -H, each `Name: value`
 * @returns {{headers: Headers, hosts: string[]}} hosts: values of the header Host, which is a key of its own
 * @throws {UsageError}
 */
export function headersOfFlags(texts) {
  /** @type {Map<string, [name: string, values: string[]]>} */
  const byName = new Map();
  for (const text of texts) {
    const colon = text.indexOf(':');
    if (colon < 0) {
      const [start = ''] = /^[A-Za-z-]+(?= )/.exec(text) ?? []; // the rest, or a word alone, may be a secret
      const shown = start === '' ? 'the header (its text is not shown)' : `"${start}..."`;
      const why = `${shown} has no colon; give a name and a value, such as 'Accept: text/html'`;
      throw mistakesError([mistake((path) => `--${path}`, 'header-without-colon', KEY, { start }, why)]);
    }
    const name = text.slice(0, colon);
    const value = text.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '');
    const [first, values] = byName.get(name.toLowerCase()) ?? [name, []];
    byName.set(name.toLowerCase(), [first, [...values, value]]);
  }
  const hosts = byName.get('host')?.[1] ?? [];
  byName.delete('host');
  const headers = [...byName.values()].map(([name, values]) => [name, values.length === 1 ? values[0] : values]);
  return { headers: Object.fromEntries(headers), hosts };
}

/**
 * @param {unknown} below of a scenario file
 * @param {Headers} over of the flags
 * @returns {Headers} a flag replaces the header of its name
 */
export function headersOver(below, over) {
  const names = Object.keys(over).map((name) => name.toLowerCase());
  const written = /** @type {Headers} */ (isObject(below) ? below : {});
  const kept = Object.entries(written).filter(([name]) => !names.includes(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...over };
}

/** Stores values in variables of the environment, each in the first free one of its name. */
class Keeper {
  /** @param {Record<string, string | undefined>} env changed in place @param {string} text that may name variables */
  constructor(env, text) {
    this.env = env;
    this.text = text;
    /** @type {Map<string, string>} */
    this.kept = new Map();
  }

  /** @param {string} name @param {string} value @returns {string} the reference to its variable */
  keep(name, value) {
    const base = variableOf(name);
    for (let i = 1; ; i += 1) {
      const variable = i === 1 ? base : `${base}_${i}`;
      if (this.kept.get(variable) !== value && (this.kept.has(variable) || this.text.includes(`"$${variable}"`)))
        continue;
      this.kept.set(variable, value);
      this.env[variable] = value;
      return `$${variable}`;
    }
  }

  /**
   * @param {unknown} headers as written
   * @returns {unknown} the same, with variables for secrets; an invalid value becomes null, so that no message shows it
   */
  without(headers) {
    if (!isObject(headers)) return headers;
    const kept = (/** @type {string} */ name, /** @type {unknown} */ value) =>
      typeof value !== 'string' || !VALUE.test(value)
        ? null
        : value === '' || variableIn(value) !== null
          ? value
          : this.keep(name, value);
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => {
        if (!isSecretHeader(name)) return [name, value];
        return [name, Array.isArray(value) ? value.map((entry) => kept(name, entry)) : kept(name, value)];
      }),
    );
  }
}

/**
 * @param {unknown} content of a scenario file
 * @param {Flags} flags
 * @param {Record<string, string | undefined>} [env] changed in place
 * @returns {{content: unknown, flags: Flags}} the same, with variables for secrets
 */
export function takeHeaderSecrets(content, flags, env = keptSecrets) {
  const keeper = new Keeper(env, JSON.stringify([content, flags]) ?? '');
  /**
   * @param {Record<string, unknown>} options of a protocol, or a request of its list
   * @returns {Record<string, unknown>}
   */
  const withoutIn = (options) => ({
    ...options,
    ...(isObject(options.headers) && { headers: keeper.without(options.headers) }),
    ...(Array.isArray(options.requests) && {
      requests: options.requests.map((/** @type {unknown} */ request) =>
        isObject(request) ? withoutIn(request) : request,
      ),
    }),
  });
  /** @param {unknown} part of a scenario @returns {unknown} */
  const without = (part) => {
    if (!isObject(part)) return part;
    const given = withHeaders.filter((protocol) => isObject(part[protocol]));
    const taken = given.map((protocol) => [
      protocol,
      withoutIn(/** @type {Record<string, unknown>} */ (part[protocol])),
    ]);
    return { ...part, ...Object.fromEntries(taken) };
  };
  const taken = without(content);
  const tests = isObject(taken) && Array.isArray(taken.tests) ? { tests: taken.tests.map(without) } : {};
  return {
    content: isObject(taken) ? { ...taken, ...tests } : taken,
    flags: Object.hasOwn(flags, KEY) ? { ...flags, [KEY]: keeper.without(flags[KEY]) } : flags,
  };
}

/**
 * @param {Scenario} scenario
 * @returns {Scenario} the same, whose headers have all their secrets
 * @throws {EnvironmentError} ESECRET
 */
export function withHeaderSecrets(scenario) {
  const { protocol, protocolOptions } = scenario;
  const lists = withHeaders.includes(protocol) ? [protocolOptions, ...(protocolOptions.requests ?? [])] : [];
  for (const { headers = {} } of lists) headerLines(headers);
  return scenario;
}
