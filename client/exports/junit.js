// junit.xml of a run, as CI systems read it: a suite for each leg, in it a test case for the leg itself and one for
// each condition; conditions that are judged over rounds have a suite for each case. A search (`find`), whose legs fail
// on purpose, has a suite for each server: whether there is an answer. Pure. The format is that of Ant's JUnit task; it
// needs only these few elements, so no library is used.

import { endingText } from '../words/endings.js';
import { counted } from '../words/format.js';
import { printable } from '../words/inert.js';
import { legName } from '../words/leg-name.js';
import { roundsOf, startsOf } from '../judge/cases.js';
import { requirementText } from '../judge/verdict.js';
import { wholeAnswer } from '../words/search.js';

/**
 * @import { LegSummary, RunSummary } from '../../config/types.js'
 * @import { SearchSummary } from '../judge/search/index.js'
 * @import { Row } from '../judge/verdict.js'
 */

/** @typedef {{ name: string, failure: { type: string, message: string } | null }} TestCase */
/** @typedef {{ name: string, time: string, cases: TestCase[] }} Suite */

/** Characters that XML 1.0 has no notation for, besides control characters. */
const FORBIDDEN = /[\ufffe\uffff]|\p{Surrogate}/gu;
/** @type {Readonly<Record<string, string>>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;', '\t': '&#9;' };

/** @param {unknown} value @returns {string} in quotes, as the value of an attribute */
const quoted = (value) =>
  `"${printable(String(value))
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>"\n\t]/g, (character) => ENTITIES[character])}"`;

/** @param {Record<string, unknown>} all @returns {string} */
const attributes = (all) =>
  Object.entries(all)
    .map(([name, value]) => ` ${name}=${quoted(value)}`)
    .join('');

/** @param {LegSummary[]} legs of a case @returns {string} such as "3 rounds", "2 rounds, 4 starts" */
const repeatsText = (legs) =>
  [
    ...(roundsOf(legs) > 1 ? [counted(roundsOf(legs), 'round')] : []),
    ...(startsOf(legs) > 1 ? [counted(startsOf(legs), 'start')] : []),
  ].join(', ');

/** @param {Pick<LegSummary, 'phases'>[]} legs @returns {string} their time, in seconds */
const timeOf = (legs) => (legs.reduce((sum, { phases }) => sum + (phases?.endNs ?? 0), 0) / 1e9).toFixed(3);

/**
 * @param {{ complete: boolean, endedBy: string, failure?: { text: string } }} leg of summary.json
 * @returns {TestCase} whether it ran to its end
 */
const legCase = ({ complete, endedBy, failure }) => ({
  name: 'runs to its planned end',
  failure: complete ? null : { type: endedBy, message: failure?.text ?? endingText(endedBy) },
});

/** @param {boolean} allowUndecided @returns {(row: Row) => TestCase} */
const conditionCase = (allowUndecided) => (row) => ({
  name: requirementText(row),
  failure:
    row.passed || (row.undecided && allowUndecided)
      ? null
      : { type: row.undecided ? 'undecided' : row.kind, message: row.text },
});

/**
 * @param {Suite} suite
 * @param {string} prefix of the class names
 * @returns {string[]} lines
 */
function suiteLines({ name, time, cases }, prefix) {
  const failures = cases.filter(({ failure }) => failure !== null).length;
  return [
    `  <testsuite${attributes({ name, tests: cases.length, failures, errors: 0, skipped: 0, time })}>`,
    ...cases.flatMap(({ name: title, failure }) => {
      const opening = `    <testcase${attributes({ name: title, classname: `${prefix}.${name}`, time })}`;
      return failure === null
        ? [`${opening}/>`]
        : [`${opening}>`, `      <failure${attributes(failure)}/>`, '    </testcase>'];
    }),
    '  </testsuite>',
  ];
}

/**
 * @param {SearchSummary} search @param {LegSummary[]} legs
 * @param {Row[]} rows of the verdict, which compare nothing
 * @returns {Suite[]} one for each server and goal
 */
const searchSuites = ({ answers }, legs, rows) =>
  answers.map(({ label, goal, decided, reason, probes, ...found }) => ({
    name: label,
    time: timeOf(probes.map(({ leg }) => legs.find(({ id }) => id === leg) ?? {})),
    cases: [
      {
        name: `an answer is found: ${goal}`,
        failure: decided ? null : { type: `search-${reason}`, message: wholeAnswer({ goal, ...found }) },
      },
      ...rows.filter((row) => row.label === label).map(conditionCase(false)),
    ],
  }));

/**
 * @param {RunSummary} summary of the run
 * @param {{ id: string, label: string, round?: number, start?: number }[]} planned its legs; one that is not in the
 *   summary fails
 * @returns {Suite[]} one for each leg, and one for each case of several rounds or starts: its conditions
 */
function legSuites({ legs, verdict }, planned) {
  const rows = verdict?.thresholds ?? [];
  const caseOf = conditionCase(verdict?.allowUndecided === true);
  const never = { complete: false, endedBy: 'never' };
  const ofLegs = planned.map(({ id, ...place }) => {
    const leg = legs.find((one) => one.id === id);
    return {
      name: legName(place, planned),
      time: timeOf([leg ?? {}]),
      cases: [legCase(leg ?? never), ...rows.filter((row) => row.leg === id).map(caseOf)],
    };
  });
  const cases = [...new Set(rows.flatMap((row) => row.case ?? []))];
  const ofCases = cases.map((one) => {
    const own = rows.filter((row) => row.case === one);
    const rounds = legs.filter((leg) => leg.case === one);
    return {
      name: `${own[0].label}, ${repeatsText(rounds)}`,
      time: timeOf(rounds),
      cases: own.map(caseOf),
    };
  });
  return [...ofLegs, ...ofCases];
}

/**
 * @param {RunSummary} summary of the run
 * @param {{ id: string, label: string, round?: number, start?: number }[]} planned its legs; one that is not in the
 *   summary fails
 * @returns {string} the file's content
 */
export function junitOf(summary, planned) {
  const { scenario, legs, search, verdict } = summary;
  const suites =
    search === undefined ? legSuites(summary, planned) : searchSuites(search, legs, verdict?.thresholds ?? []);
  const cases = suites.flatMap((suite) => suite.cases);
  const totals = {
    name: scenario,
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure !== null).length,
    errors: 0,
    time: timeOf(legs),
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes(totals)}>`,
    ...suites.flatMap((suite) => suiteLines(suite, scenario)),
    '</testsuites>',
    '',
  ].join('\n');
}
