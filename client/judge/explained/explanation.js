// What explains the CPU time per request of a server, or the difference between two: its functions.

import { meanOf } from '../../measure/statistics.js';
import { studentQuantile } from '../statistics/block-test.js';
import { differenceOf } from './difference.js';

/**
 * @import { ExplainedCost, ExplainedDifference, LegSummary } from '../../../config/types.js'
 * @import { Difference, Unit } from './difference.js'
 * @import { FunctionNames, NamedFunction } from './functions.js'
 */

/** Functions that are listed. */
const MOST_FUNCTIONS = 10;

/** @param {FunctionNames} names @param {string} key @returns {{ name: string, file: string, line?: number }} */
function functionOf({ functions }, key) {
  const { name, file, line } = /** @type {NamedFunction} */ (functions.get(key));
  return { name, file, ...(line === undefined ? {} : { line }) };
}

/**
 * @param {Unit[]} units @param {string} key of a function
 * @returns {Map<string, number>} CPU time per request in the function, by the key of what called it
 */
function callersOf(units, key) {
  /** @type {Map<string, number>} */
  const callers = new Map();
  for (const { callers: ofFunctions, sampleNs } of units) {
    for (const [caller, count] of ofFunctions.get(key) ?? [])
      callers.set(caller, (callers.get(caller) ?? 0) + (count * sampleNs) / units.length);
  }
  return callers;
}

/**
 * @param {Unit[]} head @param {Unit[]} base @param {string} key of a function @param {number} ns that it differs by
 * @returns {string | undefined} key of the caller from which most of the difference comes; undefined for a root
 */
function callerOf(head, base, key, ns) {
  const [inHead, inBase] = [callersOf(head, key), callersOf(base, key)];
  const callers = [...new Set([...inHead.keys(), ...inBase.keys()])].map((caller) => ({
    caller,
    ns: Math.sign(ns) * ((inHead.get(caller) ?? 0) - (inBase.get(caller) ?? 0)),
  }));
  return callers.sort((a, b) => b.ns - a.ns).at(0)?.caller;
}

/**
 * @param {Unit[]} head at least two @param {Unit[]} base at least two @param {FunctionNames} names
 * @returns {Required<Omit<ExplainedDifference, 'case' | 'against' | 'unit'>> & { rest: Difference }}
 */
export function explainDifference(head, base, names) {
  const { all, functions, rest } = differenceOf(head, base, MOST_FUNCTIONS);
  return {
    ...all,
    functions: functions.map(({ key, ns, low, high, head: headNs, base: baseNs }) => {
      const caller = callerOf(head, base, key, ns);
      return {
        ...functionOf(names, key),
        ...{ ns, low, high, headNs, baseNs },
        ...(caller === undefined || names.functions.get(caller)?.isUnnamed
          ? {}
          : { calledBy: functionOf(names, caller).name }),
      };
    }),
    rest,
  };
}

/**
 * @param {Unit[]} units at least one @param {FunctionNames} names
 * @returns {Omit<ExplainedCost, 'case'>} functions: those that used the most themselves
 */
export function explainCost(units, names) {
  const nsOf = (/** @type {'self' | 'total'} */ which, /** @type {string} */ key) =>
    meanOf(units.map((unit) => (unit[which].get(key) ?? 0) * unit.sampleNs));
  const keys = [...new Set(units.flatMap(({ self }) => [...self.keys()]))];
  return {
    ns: meanOf(units.map(({ costNs }) => costNs)),
    functions: keys
      .map((key) => ({ ...functionOf(names, key), selfNs: nsOf('self', key), totalNs: nsOf('total', key) }))
      .sort((a, b) => b.selfNs - a.selfNs)
      .slice(0, MOST_FUNCTIONS),
  };
}

/**
 * @param {LegSummary} leg
 * @returns {number[]} logarithm of the CPU time of the server per request while it was loaded, if it is known
 */
function logCost({ steady, slices }) {
  if (steady === undefined) return [];
  const { transfers, server, fromNs, toNs } = steady;
  const { unloaded, turnNs = 0 } = slices ?? {};
  const idle = unloaded === undefined ? 0 : (unloaded.cpuSeconds / unloaded.ns) * (toNs - fromNs - turnNs);
  const seconds = (server?.cpuSeconds ?? 0) - idle;
  return transfers > 0 && seconds > 0 ? [Math.log(seconds / transfers)] : [];
}

/**
 * @param {LegSummary[]} measured legs of the run @param {LegSummary[]} profiled the same cases
 * @returns {{ ratio: number, low?: number, high?: number } | undefined} CPU time per request while profiled to that
 *   before, over all servers, with its 95 % interval; undefined where it is not known
 */
export function overheadOf(measured, profiled) {
  const groups = [...new Set(profiled.map((leg) => leg.case))].flatMap((id) => {
    const [after, before] = [profiled, measured].map((legs) => legs.filter((leg) => leg.case === id).flatMap(logCost));
    return after.length > 0 && before.length > 0 ? [{ after, before }] : [];
  });
  if (groups.length === 0) return undefined;
  const log = meanOf(groups.map(({ after, before }) => meanOf(after) - meanOf(before)));
  const values = groups.flatMap(({ after, before }) => [after, before]);
  const degrees = values.reduce((sum, side) => sum + side.length - 1, 0);
  if (degrees === 0) return { ratio: Math.exp(log) };
  const squares = values.flatMap((side) => side.map((value) => (value - meanOf(side)) ** 2));
  const spread = squares.reduce((sum, square) => sum + square, 0) / degrees;
  const inverse = values.reduce((sum, side) => sum + 1 / side.length, 0) / groups.length ** 2;
  const half = studentQuantile(0.05, degrees) * Math.sqrt(spread * inverse);
  return { ratio: Math.exp(log), low: Math.exp(log - half), high: Math.exp(log + half) };
}
