// Key `servers`, with `target` and `command` one of the three ways to name what is measured; and `serverPid`. Pure.

import { defaultOptions } from '../schema.js';
import { optionMistakes } from '../server-checks.js';
import { isPattern } from './server-patterns.js';
import { mistake } from '../mistakes.js';
import { wrapOf } from './wrap.js';

/**
 * @param {any} entry a name, or {name, as, instances, wrap, options, env} with constant defaults filled in
 * @param {{instances: number, wrap?: import('./wrap.js').Wrap}} usual  where it does not say
 * @returns {import('../scenario.js').ServerEntry}
 */
export function serverEntryOf(entry, usual) {
  const plain = typeof entry === 'string' ? { name: entry, options: { ...defaultOptions }, env: {} } : entry;
  const { name, as = name, options, env, instances = usual.instances } = plain;
  return { name, as, ...(instances > 1 && { instances }), ...wrapOf(plain.wrap, usual.wrap), options, env };
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function serverMistakes(scenario, where) {
  const mistakes = [];
  const labels = new Map();
  for (const [index, { name, as, options }] of (scenario.servers ?? []).entries()) {
    const path = `servers[${index}]`;
    mistakes.push(
      ...optionMistakes(options).map(([key, code, data, why]) =>
        mistake(where, code, `${path}.options.${key}`, data, why),
      ),
    );
    const first = labels.get(as);
    if (isPattern(name)) continue; // the servers it matches get their own labels
    if (first === undefined) labels.set(as, index);
    else {
      mistakes.push(
        mistake(
          where,
          'label-taken',
          path,
          { label: as, first },
          `"${as}" is also the label of servers[${first}]; give one of them ` +
            'another label: {"name": ..., "as": ...}',
        ),
      );
    }
  }
  if (scenario.serverPid !== null && scenario.target === undefined) {
    mistakes.push(
      mistake(
        where,
        'pid-without-target',
        'serverPid',
        { serverPid: scenario.serverPid },
        `${scenario.serverPid} belongs to target; the processes of a server that Broadside starts are watched anyway`,
      ),
    );
  }
  if (scenario.serverPid !== null && scenario.targets !== undefined) {
    const { serverPid, targets } = scenario;
    const why = `${serverPid} can belong to one target only, but there are ${targets.length}; leave it out`;
    mistakes.push(mistake(where, 'pid-of-several-targets', 'serverPid', { serverPid, targets: targets.length }, why));
  }
  return mistakes;
}
