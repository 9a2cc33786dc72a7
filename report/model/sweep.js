/**
 * Arranges the legs of a sweep: the axis of charts and tables, and a line for each server and each value of the other
 * axes. The rounds of a point are one case.
 */
import { arrangeAxes, axesText, axisWord, isOfTests, lineName, numericAxis } from '../../client/words/axes.js';

/** @import { PageLeg, Unit } from '../types.js' */

/**
 * @typedef {{ name: string, server?: string, results: PageLeg[] }} Line  results: in the order of the columns
 * @typedef {object} Sweep
 * @property {string} axis      key of the scenario
 * @property {string} word      the axis in titles
 * @property {string[]} axes    keys with several values, the axis first
 * @property {Unit} unit        of the axis in charts
 * @property {unknown[]} columns  values of the axis; numbers ascending
 * @property {((f: PageLeg) => number) | null} numberOf  null if the values are names
 * @property {Line[]} lines
 */

/** @type {Record<string, Unit>} units of axes of charts */
const UNITS = { number: 'count', bytes: 'payload', ns: 'duration', perSecond: 'rate', cores: 'count' };

/** @param {PageLeg} f @returns {boolean} whether the leg is a point of a sweep */
const isSwept = ({ summary: { series, axes, comparedAt } }) =>
  series !== undefined && comparedAt === undefined && Object.keys(axes).some((key) => !isOfTests(key));

/** @param {PageLeg[]} swept @param {string} axis @returns {string[]} the other axes with several values */
function otherAxes(swept, axis) {
  const keys = [...new Set(swept.flatMap(({ summary: { axes } }) => Object.keys(axes)))];
  return keys.filter((key) => key !== axis && new Set(swept.map(({ summary: { axes } }) => axes[key])).size > 1);
}

/**
 * @param {PageLeg} f
 * @param {string[]} varied the other axes with several values
 * @returns {string} name of the leg's line
 */
const lineOf = ({ summary, label }, varied) => lineName({ ...summary, label }, varied);

/**
 * @param {PageLeg[]} results
 * @returns {(f: PageLeg) => string | undefined} name of a leg's line; undefined if it is not a point of a sweep
 */
export function lineNames(results) {
  const sweep = sweepOf(results);
  if (sweep === null) return () => undefined;
  const varied = otherAxes(results.filter(isSwept), sweep.axis);
  return (f) => (isSwept(f) ? lineOf(f, varied) : undefined);
}

/**
 * @param {PageLeg[]} results
 * @returns {string[]} keys of the numeric axes except the main one
 */
export function otherNumericAxes(results) {
  const sweep = sweepOf(results);
  if (sweep === null) return [];
  const swept = results.filter(isSwept);
  return otherAxes(swept, sweep.axis).filter(
    (key) => numericAxis(key, [...new Set(swept.map(({ summary: { axes } }) => axes[key]))]) !== null,
  );
}

/**
 * @param {PageLeg[]} results
 * @param {string} [along] the axis of columns and charts; default: the main one
 * @returns {Sweep | null} null if no leg is a point of a sweep
 */
export function sweepOf(results, along) {
  const swept = results.filter(isSwept);
  const withoutTests = swept.map(({ summary: { axes } }) =>
    Object.fromEntries(Object.entries(axes).filter(([key]) => !isOfTests(key))),
  );
  const axis = along ?? arrangeAxes(withoutTests).main;
  if (axis === null) return null;
  const axesOf = (/** @type {PageLeg} */ { summary: { axes } }) => axes;
  const varied = otherAxes(swept, axis);
  const columns = [...new Set(swept.map((f) => axesOf(f)[axis]))];
  const numeric = numericAxis(axis, columns);
  if (numeric !== null) columns.sort((a, b) => numeric.of(a) - numeric.of(b));
  const servers = [...new Set(swept.map((f) => f.summary.series))];
  const lines = servers.flatMap((server) => {
    const serverLegs = swept.filter((f) => f.summary.series === server);
    return [...new Set(serverLegs.map((f) => lineOf(f, varied)))].map((name) => {
      const legs = serverLegs.filter((f) => lineOf(f, varied) === name);
      const points = columns.flatMap((column) => legs.find((f) => axesOf(f)[axis] === column) ?? []);
      return { server, name, results: points };
    });
  });
  return {
    axis,
    word: axisWord(axis),
    axes: [axis, ...varied],
    unit: axis === 'connections' ? axis : (UNITS[numeric?.unit ?? ''] ?? 'count'),
    columns,
    numberOf: numeric === null ? null : (f) => numeric.of(axesOf(f)[axis]),
    lines,
  };
}

/**
 * @param {PageLeg[]} results
 * @returns {{ name: string, of: (f: PageLeg) => boolean }[]} points of the sweep, in order; none for other runs
 */
export function pointsOf(results) {
  const sweep = results.every(isSwept) ? sweepOf(results) : null;
  if (sweep === null) return [];
  const nameOf = (/** @type {PageLeg} */ { summary: { axes } }) => axesText(axes);
  const names = [...new Set(results.map(nameOf))];
  const { numberOf } = sweep;
  const numbers = new Map(results.map((f) => [nameOf(f), numberOf?.(f) ?? 0]));
  return names
    .sort((a, b) => (numbers.get(a) ?? 0) - (numbers.get(b) ?? 0))
    .map((name) => ({ name, of: (f) => nameOf(f) === name }));
}
