// Writes junit.xml for CI systems, in the format of Ant's JUnit task: a suite for each leg, with a test case for the
// leg and one for each condition. Conditions over rounds have a suite for each case. A search (`find`), whose legs fail
// on purpose, has a suite for each server and goal: whether there is an answer.

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

/** Characters, other than control characters, that XML 1.0 forbids. */
const FORBIDDEN = /[\ufffe\uffff]|\p{Surrogate}/gu;
/** @type {Readonly<Record<string, string>>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;', '\t': '&#9;' };

/** @param {unknown} value @returns {string} value of an attribute, in quotes */
const quoted = (value) =>
  `"${printable(String(value))
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>"\n\t]/g, (character) => ENTITIES[character])}"`;

/** @param {Record<string, unknown>} values key: name of the attribute @returns {string} */
const attributes = (values) =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}=${quoted(value)}`)
    .join('');

/** @param {LegSummary[]} legs of a case @returns {string} such as "3 rounds", "2 rounds, 4 starts" */
const repeatsText = (legs) =>
  [
    ...(roundsOf(legs) > 1 ? [counted(roundsOf(legs), 'round')] : []),
    ...(startsOf(legs) > 1 ? [counted(startsOf(legs), 'start')] : []),
  ].join(', ');

/** @param {Pick<LegSummary, 'phases'>[]} legs @returns {string} sum of their durations, s */
const timeOf = (legs) => (legs.reduce((sum, { phases }) => sum + (phases?.endNs ?? 0), 0) / 1e9).toFixed(3);

/**
 * @param {{ complete: boolean, endedBy: string, failure?: { text: string } }} leg of summary.json
 * @returns {TestCase} passes if the leg is complete
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
 * @param {Row[]} rows of the verdict
 * @returns {Suite[]} one for each server and goal
 */
const searchSuites = ({ answers }, legs, rows) =>
  answers.map(({ label, goal, decided, reason, probes, ...answer }) => ({
    name: label,
    time: timeOf(probes.map(({ leg }) => legs.find(({ id }) => id === leg) ?? {})),
    cases: [
      {
        name: `an answer is found: ${goal}`,
        failure: decided ? null : { type: `search-${reason}`, message: wholeAnswer({ goal, ...answer }) },
      },
      ...rows.filter((row) => row.label === label).map(conditionCase(false)),
    ],
  }));

/**
 * @param {RunSummary} summary of the run
 * @param {{ id: string, label: string, round?: number, start?: number }[]} planned its legs; one that is not in the
 *   summary fails
 * @returns {Suite[]} one for each leg, and one for each case with conditions over its rounds or starts
 */
function legSuites({ legs, verdict }, planned) {
  const rows = verdict?.thresholds ?? [];
  const caseOf = conditionCase(verdict?.allowUndecided === true);
  const never = { complete: false, endedBy: 'never' };
  const suitesOfLegs = planned.map(({ id, ...place }) => {
    const leg = legs.find((candidate) => candidate.id === id);
    return {
      name: legName(place, planned),
      time: timeOf([leg ?? {}]),
      cases: [legCase(leg ?? never), ...rows.filter((row) => row.leg === id).map(caseOf)],
    };
  });
  const cases = [...new Set(rows.flatMap((row) => row.case ?? []))];
  const suitesOfCases = cases.map((id) => {
    const caseRows = rows.filter((row) => row.case === id);
    const caseLegs = legs.filter((leg) => leg.case === id);
    return {
      name: `${caseRows[0].label}, ${repeatsText(caseLegs)}`,
      time: timeOf(caseLegs),
      cases: caseRows.map(caseOf),
    };
  });
  return [...suitesOfLegs, ...suitesOfCases];
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
