// Key `protocol` and the options of each protocol, which stand under its name. Pure.

import { protocolOf, withOptions } from '../../protocols/index.js';

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {string[]} one sentence for each mistake
 */
export function protocolMistakes(scenario, where) {
  const { protocol, protocolOptions, pipeline } = scenario;
  const { mistakes, pipelined = true } = protocolOf(protocol);
  const wrong = (mistakes?.(protocolOptions, scenario) ?? []).map(
    ([key, why]) => `${where(`${protocol}.${key}`)}: ${why}`,
  );
  if (pipeline === 1 || pipelined) return wrong;
  return [
    ...wrong,
    `${where('pipeline')}: ${pipeline}, and a connection of ${protocol} has one request under way at most; ` +
      'leave pipeline out',
  ];
}

/**
 * @param {Record<string, any>} given as it was written, without defaults
 * @param {import('../mistakes.js').Where} where
 * @returns {string[]} one sentence for the options of each protocol that is not the scenario's
 */
export function foreignOptionMistakes(given, where) {
  const { protocol = 'echo' } = given;
  return withOptions
    .filter((name) => name !== protocol && Object.hasOwn(given, name))
    .map((name) => {
      const [key] = Object.keys(Object(given[name]));
      return (
        `${where(key === undefined ? name : `${name}.${key}`)}: belongs to protocol "${name}", and the protocol is ` +
        `"${protocol}"; take it away, or give protocol "${name}"`
      );
    });
}
