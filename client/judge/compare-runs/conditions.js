// The differences between the conditions of two runs: the machine, the versions and the scenario. A condition that only
// one run recorded is left out, because an older version did not record it, except for the target, which pairs cases.

import { isObject } from '../../measure/objects.js';
import { storedScenario } from '../../measure/settings.js';

/** @import { Scenario } from '../../scenario/scenario.js' */

/**
 * @typedef {object} Conditions
 * @property {Record<string, unknown> & { servers?: Server[] } | null} scenario     as read
 * @property {Record<string, unknown> | null} environment  environment.json
 *
 * @typedef {{ name: string, as?: string, options?: unknown, env?: unknown }} Server
 * @typedef {{ key: string, run: unknown, baseline: unknown }} Difference  key: with dots, such as scenario.ramp.add
 */

/** Keys of the environment that are compared; others, such as free memory and the time, always differ. */
const MACHINE = ['kernel', 'architecture', 'cpu', 'cores', 'threadsPerCore', 'memoryBytes', 'governor', 'sysctl'];
const VERSIONS = ['node', 'versions', 'commit', 'transport'];
/** What is measured. Labels and names do not change the load. */
const SUBJECT = ['target', 'targets', 'command'];
const IGNORED = [
  'name',
  'description',
  'serverPid',
  'transferLog',
  'force',
  'rounds',
  'thresholds',
  'failIf',
  'allowUndecided',
  'servers',
  ...SUBJECT,
];

/**
 * @param {string} key @param {unknown} run @param {unknown} baseline
 * @returns {Difference[]} one for each nested value that differs
 */
function differences(key, run, baseline) {
  if (run === undefined || baseline === undefined) return [];
  if (isObject(run) && isObject(baseline)) {
    const names = [...new Set([...Object.keys(run), ...Object.keys(baseline)])];
    return names.flatMap((name) => differences(`${key}.${name}`, run[name], baseline[name]));
  }
  return JSON.stringify(run) === JSON.stringify(baseline) ? [] : [{ key, run, baseline }];
}

/**
 * @param {{ servers?: Server[] }} scenario
 * @returns {Record<string, unknown>} settings of the servers, by label
 */
const serversOf = ({ servers = [] }) =>
  Object.fromEntries(servers.map(({ name, as, options, env }) => [as, { name, options, env }]));

/**
 * @param {Conditions} conditions
 * @returns {Conditions} with the scenario as it is stored: points have only the keys that differ
 */
const recorded = ({ scenario, environment }) => ({
  scenario: scenario && storedScenario(/** @type {Scenario} */ (scenario)),
  environment,
});

/**
 * @param {Conditions} ofRun @param {Conditions} ofBaseline
 * @returns {Difference[]} that may change figures although the server did not change
 */
export function differingConditions(ofRun, ofBaseline) {
  const [run, baseline] = [recorded(ofRun), recorded(ofBaseline)];
  const differencesIn = (/** @type {'scenario' | 'environment'} */ document, /** @type {string[]} */ keys) =>
    keys.flatMap((key) => {
      const [inRun, inBaseline] = [run, baseline].map((side) => side[document]?.[key]);
      return differences(document === 'scenario' ? `scenario.${key}` : key, inRun, inBaseline);
    });
  const keys = Object.keys({ ...run.scenario, ...baseline.scenario }).filter((key) => !IGNORED.includes(key));
  const subjects = run.scenario === null || baseline.scenario === null ? [] : SUBJECT;
  const measured = subjects.flatMap((key) =>
    differences(`scenario.${key}`, run.scenario?.[key] ?? null, baseline.scenario?.[key] ?? null),
  );
  return [
    ...differencesIn('environment', [...MACHINE, ...VERSIONS]),
    ...differences('scenario.servers', serversOf(run.scenario ?? {}), serversOf(baseline.scenario ?? {})),
    ...measured,
    ...differencesIn('scenario', keys),
  ];
}
