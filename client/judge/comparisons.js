// The comparisons of a run: at each point of its sweep, or in each test, every server with the first one of the scenario,
// paired by round. Pure.
// The one thing to know: response times are compared only where both served nearly all connections, for a server that
// leaves connections waiting is fast for the others.

import { axisText, isOfTests } from '../words/axes.js';
import { servedOnlySome } from '../words/figures.js';
import { comparedFigures } from './figures.js';
import { compareCases } from './statistics/comparison.js';

/**
 * @typedef {import('./cases.js').Case} Case
 * @typedef {import('../../config/types.js').LegSummary} LegSummary
 * @typedef {string} FigureName  the key of a figure in the cases of summary.json
 *
 * @typedef {{ workload: string, loop: 'open' | 'closed' }} Load  as the summary's config has it
 *
 * @typedef {import('../../config/types.js').Comparison} RunComparison
 */

/**
 * The figures to compare, the most important first. A schedule or a pause decides how many transfers there are, so that
 * only the times tell servers apart.
 * @param {Load} load
 * @returns {FigureName[]}
 */
export const comparedOf = ({ workload, loop }) =>
  comparedFigures(workload === 'hold' ? 'open' : loop).flatMap(({ compared }) => compared?.key ?? []);

/** @param {Case} one @returns {string} of the server, where the label also names the point */
export const nameOf = ({ series, label }) => series ?? label;

/** @param {import('../../config/types.js').Axes} axes @returns {string | undefined} such as "10,000 connections" */
export function pointText(axes) {
  const texts = Object.entries(axes).map(([key, value]) => (isOfTests(key) ? `${key} ${value}` : axisText(key, value)));
  return texts.length === 0 ? undefined : texts.join(', ');
}

/**
 * @template {{ axes: import('../../config/types.js').Axes }} T
 * @param {T[]} cases
 * @returns {T[][]} those at the same point of the sweep, or in the same test, together
 */
export function pointsOf(cases) {
  const keys = [...new Set(cases.map(({ axes }) => JSON.stringify(axes)))];
  return keys.map((key) => cases.filter(({ axes }) => JSON.stringify(axes) === key));
}

/**
 * @param {Case} one @param {Case} baseline @param {FigureName} figure
 * @returns {[number | null, number | null][]} one of each round
 */
export function pairsOf(one, baseline, figure) {
  const values = one.figures[figure]?.values ?? [];
  const others = baseline.figures[figure]?.values ?? [];
  return Array.from({ length: Math.max(values.length, others.length) }, (_, i) => [
    values[i] ?? null,
    others[i] ?? null,
  ]);
}

/** @param {FigureName} figure */
export const isTime = (figure) => figure.endsWith('Ns');

/** Of a response time, the part without the client's own delays. @type {Partial<Record<FigureName, FigureName>>} */
const WITHOUT_CLIENT = { p50Ns: 'networkP50Ns', p99Ns: 'networkP99Ns' };

/** @type {RunComparison['code'][]} */
const WITH_INTERVAL = ['more', 'fewer', 'longer', 'shorter', 'no-difference', 'undecided'];

/**
 * Both verdicts are given where they differ: then the client's delays decide the first one.
 * @param {FigureName} figure @param {(figure: FigureName) => RunComparison[]} compare one at most
 * @returns {RunComparison[]}
 */
function withoutClientToo(figure, compare) {
  const said = compare(figure);
  const other = WITHOUT_CLIENT[figure];
  if (other === undefined || said.length === 0) return said;
  const differs = (/** @type {RunComparison} */ { code, better }) =>
    code !== said[0].code && (better !== undefined || said[0].better !== undefined);
  return [...said, ...compare(other).filter((one) => WITH_INTERVAL.includes(one.code) && differs(one))];
}

/** @param {Case} one @returns {boolean} whether a leg of it has figures */
const isMeasured = ({ figures }) => Object.keys(figures).length > 0;

/** @param {Case} one @param {Case} baseline @param {FigureName} figure @param {string | undefined} at @returns {RunComparison} */
const notMeasured = (one, baseline, figure, at) => ({
  code: 'not-comparable',
  ...{ figure, case: one.id, baseline: baseline.id, data: at === undefined ? {} : { at } },
  text: `${nameOf(one)}${at === undefined ? '' : ` at ${at}`} has no figures, so that it is not compared.`,
});

/**
 * @param {Case[]} point cases at one point, the baseline first; if that has no figures, the next one is the baseline
 * @param {LegSummary[]} legs @param {FigureName[]} figures
 * @returns {RunComparison[]}
 */
function compareAtPoint(point, legs, figures) {
  const baseline = point.find(isMeasured);
  if (baseline === undefined) return [];
  const others = point.filter((one) => one !== baseline);
  const at = pointText(baseline.axes);
  const shortOf = (/** @type {Case} */ one) =>
    legs.find((leg) => leg.complete && one.legs.includes(leg.id) && servedOnlySome(leg) !== undefined);
  const shortBaseline = shortOf(baseline);
  return others.flatMap((one) => {
    if (!isMeasured(one)) return [notMeasured(one, baseline, figures[0], at)];
    const short = shortOf(one) ?? shortBaseline;
    const compared = figures.filter((figure) => (short === undefined ? figure !== 'served' : !isTime(figure)));
    const compare = (/** @type {FigureName} */ figure) => {
      const pairs = pairsOf(one, baseline, figure);
      if (pairs.length === 0) return [];
      const [value, other] = [one, baseline].map((side) => ({ id: side.id, label: nameOf(side) }));
      return [compareCases({ figure, case: value, baseline: other, pairs, at })];
    };
    const said = compared.flatMap((figure) => withoutClientToo(figure, compare));
    return short === undefined ? said : [...said, servedSome(one, baseline, short, figures, at)];
  });
}

/**
 * @param {Case} one @param {Case} baseline @param {LegSummary} leg that served only some
 * @param {FigureName[]} figures @param {string | undefined} at
 * @returns {RunComparison}
 */
function servedSome(one, baseline, leg, figures, at) {
  const where = at === undefined ? '' : ` at ${at}`;
  return {
    code: 'served-some',
    figure: figures.find(isTime) ?? figures[0],
    case: one.id,
    baseline: baseline.id,
    data: { leg: leg.id, ...(at === undefined ? {} : { at }) },
    text:
      `The response times of ${nameOf(one)} and ${nameOf(baseline)}${where} are not compared, because ` +
      `${leg.series ?? leg.label} left connections without a reply (${servedOnlySome(leg)}).`,
  };
}

/** @param {FigureName} figure @returns {RunComparison} what to say of a run with one round */
const measuredOnce = (figure) => ({
  code: 'measured-once',
  figure,
  data: { rounds: 1 },
  text: 'Measured once, so whether the servers differ is not known. Measure several rounds with --rounds 5.',
});

/**
 * @param {Case[]} cases in the order of the scenario @param {LegSummary[]} legs
 * @param {Load} load
 * @returns {RunComparison[]} none where there is nothing to compare with
 */
export function comparisonsOf(cases, legs, load) {
  const figures = comparedOf(load);
  const points = pointsOf(cases);
  if (points.every((point) => point.length < 2)) return [];
  if (legs.every(({ round }) => round === 1)) return [measuredOnce(figures[0])];
  return points.flatMap((point) => compareAtPoint(point, legs, figures));
}
