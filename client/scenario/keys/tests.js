// Key `tests`: named sets of keys, each measured with every server. A test holds any key of the load, of the deadlines
// or of the protocol's options except those that say what kind of run it is.

import { isObject } from '../../measure/objects.js';
import { mistake, shown } from '../mistakes.js';
import { scenarioSchema } from '../schema.js';

/**
 * @import { Raw } from '../merge.js'
 * @import { Mistake, Where } from '../mistakes.js'
 */

const GROUPS = ['load', 'deadlines', 'protocols'];
/** Keys that are the same in every leg of a run, because its tables and charts are made for one kind. */
const COMMON = ['workload', 'protocol', 'tls', 'sweep', 'tests'];

/** Keys that a test may hold. */
const testKeys = Object.entries(scenarioSchema.properties)
  .filter(([key, { 'x-group': group }]) => GROUPS.includes(group ?? '') && !COMMON.includes(key))
  .map(([key]) => key);

/**
 * The tests to run: all of the file's, those that --tests names, or those that it defines.
 * @param {Raw} content of the file @param {unknown} flag
 * @param {Where} where
 * @returns {{ tests: Raw[] | null, mistakes: Mistake[] }} tests: null without any
 */
export function chosenTests({ tests }, flag, where) {
  if (flag === undefined || Array.isArray(flag)) return checked(flag ?? tests, where);
  const defined = checked(tests, where);
  if (defined.tests === null || defined.mistakes.length > 0) {
    const known = { value: flag, known: [] };
    const why = `${shown(flag)}, but the scenario has no tests; leave it out, or name a scenario that has some with --config`;
    return {
      tests: null,
      mistakes: tests === undefined ? [mistake(where, 'tests-missing', 'tests', known, why)] : defined.mistakes,
    };
  }
  const names = String(flag)
    .split(',')
    .map((name) => name.trim());
  const known = defined.tests.map(({ as }) => as);
  const unknown = names.filter((name) => !known.includes(name));
  return {
    tests: defined.tests.filter(({ as }) => names.includes(as)),
    mistakes: unknown.map((value) =>
      mistake(
        where,
        'test-unknown',
        'tests',
        { value, known },
        `${shown(value)} is no test of this scenario; its tests are ${known.join(', ')}`,
      ),
    ),
  };
}

/** @param {unknown} tests as written @param {Where} where @returns {{ tests: Raw[] | null, mistakes: Mistake[] }} */
function checked(tests, where) {
  if (tests === undefined) return { tests: null, mistakes: [] };
  const isList = Array.isArray(tests) && tests.every(isObject);
  // the schema reports any other shape
  if (!isList) return { tests: null, mistakes: [] };
  const mistakes = tests.flatMap(({ as, ...keys }, i) => {
    const first = tests.findIndex((test) => test.as === as);
    const path = `tests[${i}]`;
    return [
      ...(first < i
        ? [
            mistake(
              where,
              'label-taken',
              `${path}.as`,
              { label: as, first },
              `"${as}" is also the name of tests[${first}]; give one of them another`,
            ),
          ]
        : []),
      ...(Object.keys(keys).length === 0
        ? [mistake(where, 'test-empty', path, {}, `changes nothing; give it keys such as "payload", or leave it out`)]
        : []),
      ...Object.keys(keys)
        .filter((key) => !testKeys.includes(key) && Object.hasOwn(scenarioSchema.properties, key))
        .map((key) =>
          mistake(
            where,
            'key-not-for-test',
            `${path}.${key}`,
            { key },
            `is the same in every leg; give "${key}" outside tests`,
          ),
        ),
    ];
  });
  return { tests, mistakes };
}
