// Key `protocol`, and the options of each protocol, which a scenario gives under its name. Pure.

import { protocolOf, withOptions } from '../../protocols/index.js';
import { mistake } from '../mistakes.js';

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @param {any} [raw] as it was written
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function protocolMistakes(scenario, where, raw) {
  const { protocol, protocolOptions, pipeline } = scenario;
  const { mistakes, pipelined = true } = protocolOf(protocol);
  const wrong = (mistakes?.(protocolOptions, scenario, Object(raw?.[protocol])) ?? []).map(([key, code, data, why]) =>
    mistake(where, code, `${protocol}.${key}`, data, why),
  );
  if (pipeline === 1 || pipelined) return wrong;
  return [
    ...wrong,
    mistake(
      where,
      'pipeline-not-for-protocol',
      'pipeline',
      { pipeline, protocol },
      `${pipeline}, but a connection of ${protocol} has at most one request in flight; leave pipeline out`,
    ),
  ];
}

/**
 * @param {Record<string, any>} given as it was written, without defaults
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]} one for the options of each protocol that is not the scenario's
 */
export function foreignOptionMistakes(given, where) {
  const { protocol = 'echo' } = given;
  return withOptions
    .filter((name) => name !== protocol && Object.hasOwn(given, name))
    .map((name) => {
      const [key] = Object.keys(Object(given[name]));
      return mistake(
        where,
        'key-not-for-protocol',
        key === undefined ? name : `${name}.${key}`,
        { needed: name, protocol },
        `belongs to protocol "${name}", but the protocol is "${protocol}"; leave it out, or give protocol "${name}"`,
      );
    });
}
