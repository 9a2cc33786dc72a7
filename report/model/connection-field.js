/**
 * The connection fields of a page: for each server the state of every connection in each span of time, and in the whole
 * steady state.
 */
import { IDLE, repliesOf, SERVED, unpackCells } from '../../client/measure/connection-cells.js';
import { coverageOf } from '../../client/measure/leg-figures.js';
import { requestedAt } from '../../client/measure/schedule.js';
import { count, duration } from '../../client/words/format.js';

/**
 * @import { ConnectionField } from '../../config/types.js'
 * @import { FieldState, PageField, PageLeg, Run } from '../types.js'
 */

/** Size limit for the cells of all fields of a page, in characters. */
const MAX_CHARACTERS = 3_000_000;
/** A steady state with fewer spans has no total. */
const MIN_STEADY_SPANS = 2;

/** @param {PageLeg} f @returns {(atNs: number) => number} connections requested at a time */
function requestedOf({ planned, summary }) {
  const points = planned ? [...planned.schedule, ...(planned.profile ?? [])] : [];
  return (atNs) => (points.length > 0 ? requestedAt(points, atNs) : (summary.connections?.requested ?? 0));
}

/** @param {Uint8Array} cells @param {number} each @param {number} requested @returns {number} connections answered */
function answeredOf(cells, each, requested) {
  let answered = 0;
  cells.forEach((cell, i) => {
    if (cell >= IDLE) answered += Math.max(0, Math.min(each, requested - i * each));
  });
  return answered;
}

/**
 * @param {FieldState[]} spans of the steady state @param {number} length number of cells
 * @returns {number[]} approximate replies of each cell
 */
function totalsOf(spans, length) {
  const totals = Array(length).fill(0);
  for (const { cells } of spans) {
    unpackCells(cells, length).forEach((cell, i) => {
      if (cell >= SERVED) totals[i] += repliesOf(cell).reduce((sum, n) => sum + n / 2, 0);
    });
  }
  return totals.map(Math.round);
}

/** @param {PageLeg} f @returns {PageField['words']} meaning of a square, as far as the leg's log tells */
function wordsOf({ closed, summary, planned, workload }) {
  const asksAtOnce = closed && planned?.slices === undefined && workload !== 'hold';
  return {
    unanswered: closed ? 'open, no reply yet' : 'request due, no reply yet',
    unasked: summary.log?.missing
      ? 'not known: the log misses some transfers'
      : asksAtOnce
        ? 'connecting, or waiting to try again'
        : 'no request sent yet: connecting, or open',
  };
}

/** @param {PageLeg} f @param {ConnectionField} field @returns {PageField | null} null until the first span has ended */
function fieldOf(f, { connections, each, spans }) {
  const { steadyFromNs, endNs } = f.phases;
  const requestedAtNs = requestedOf(f);
  const length = Math.ceil(connections / each);
  const states = spans
    .filter(({ toNs }) => toNs <= endNs)
    .map(({ toNs, cells }, i) => {
      const requested = Math.min(connections, requestedAtNs(toNs - 1));
      const answered = answeredOf(unpackCells(cells, length), each, requested);
      return { fromNs: spans[i - 1]?.toNs ?? 0, toNs, requested, answered, cells };
    });
  const last = states.at(-1);
  if (last === undefined) return null;
  const steady = states.filter(({ fromNs }) => fromNs >= steadyFromNs);
  const isSteady = coverageOf(f.summary) === 'steady state' && steady.length >= MIN_STEADY_SPANS;
  const { min, p50, max } = f.summary.steady?.perConnection ?? {};
  return {
    colour: f.colour,
    label: f.label,
    connections,
    each,
    states,
    ...(isSteady && { totals: totalsOf(steady, length) }),
    words: wordsOf(f),
    isUnknown: Boolean(f.summary.log?.missing),
    answered: `${count(last.answered)} of ${count(last.requested)} answered`,
    isShort: last.answered < last.requested,
    replies:
      p50 === undefined
        ? null
        : `Replies in the steady state: least ${count(min)}, median ${count(p50)}, most ${count(max)}.`,
    alt: `${f.label}: ${count(last.answered)} of ${count(last.requested)} connections answered after ${duration(last.toNs)}.`,
  };
}

/**
 * @param {Run} run @param {PageLeg[]} cases
 * @returns {{ fields: PageField[], left: number }} fields: of each case, the field of the leg that the charts show;
 *   left: fields that are not drawn, since the page would be too large
 */
export function connectionFields({ legs }, cases) {
  let characters = 0;
  let left = 0;
  const fields = cases.flatMap((f) => {
    const leg = legs.find(({ id }) => id === f.id);
    if (!leg?.connectionField || !leg.summary) return [];
    const field = fieldOf({ ...f, summary: leg.summary }, leg.connectionField);
    if (field === null) return [];
    characters += field.states.reduce((sum, { cells }) => sum + cells.length, 0);
    if (characters <= MAX_CHARACTERS) return [field];
    left += 1;
    return [];
  });
  return { fields, left };
}
