/**
 * Charts of rates over time: transfers, payload and opened connections per second. A chart of payload that is in
 * proportion to the transfers is replaced by a sentence.
 */
import { hasReplies } from '../../../client/scenario/load-text.js';
import { hadTurn, lineOf, middle, perSeconds, total } from '../downsample.js';
import { rateWhileMeasured } from '../../../client/measure/slices.js';
import { bytes, count, payload, rate } from '../../../client/words/format.js';
import { nothingDue } from './response-time.js';
import { stallMarks } from './stalls.js';
import { figureText, opensPerSecond, sendsMoreOf } from '../page-leg.js';

/**
 * @import { Chart, ChartId, Dataset, Leg, PageLeg, Panel, Remark, Role, Sample, Unit } from '../../types.js'
 * @import { Interval } from '../downsample.js'
 * @import { ChartInput } from './all.js'
 */

/**
 * @typedef {{ role: Role, label: string, counter: keyof Sample['counters'] }} Line
 *
 * @param {Interval[]} intervals of a leg @param {Line} line
 * @returns {Dataset} the counter's rate per second
 */
function perSecond(intervals, { counter, ...look }) {
  // Count of the intervals without a point; added to the next point's count.
  let carried = 0;
  const last = intervals.length - 1;
  const points = lineOf(intervals, (interval, at) => {
    const n = total(interval, 'counters', counter);
    if (!hadTurn(interval) && at < last) {
      carried += n;
      return null;
    }
    // A fraction of a second at the end is counted, but is too short for a rate.
    const isRemnant = interval.phase === 'drain' && interval.seconds < 0.5;
    const value = interval.last.slices ? rateWhileMeasured(interval.samples, n) : n / perSeconds(interval);
    const sum = n + carried;
    carried = 0;
    return [middle(interval), isRemnant || value === undefined ? null : Number(value.toPrecision(6)), sum];
  });
  return { ...look, points };
}

/**
 * @param {ChartInput} input
 * @param {{ id: ChartId, line: Line, title: string, lead: string, unit: Unit, data?: Record<string, number | string>,
 *   besides?: Line, hasBesides?: (f: PageLeg) => boolean, note: (f: PageLeg) => string, marks?: (leg: Leg) =>
 *   Panel['marks'] }} what  besides: a second line for what was requested, in the legs for which hasBesides is true
 * @returns {Chart}
 */
function rateChart({ legs, results, intervals, xMax }, what) {
  const { besides, hasBesides, line } = what;
  const panels = legs.map((leg, i) => {
    const asked = besides && hasBesides?.(results[i]) ? [perSecond(intervals[i], besides)] : [];
    const text = what.note(results[i]);
    return {
      leg: i,
      phases: true,
      note: { code: what.id, data: {}, text },
      datasets: [...asked, perSecond(intervals[i], line)],
      marks: what.marks?.(leg),
      alt: `${leg.label}: ${what.title}. ${text}.`,
    };
  });
  const max = panels
    .flatMap(({ datasets }) => datasets.flatMap(({ points }) => points))
    .reduce((highest, [, y]) => Math.max(highest, y ?? 0), 0);
  const isAsked = besides !== undefined && results.some((f) => hasBesides?.(f));
  return {
    id: what.id,
    kind: 'line',
    title: what.title,
    lead: what.lead,
    data: { ...what.data, ...(isAsked ? { [besides.counter]: true } : {}) },
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'linear', unit: what.unit, min: 0, max: max * 1.05 || 1 },
    legend: isAsked ? [besides, line].map(({ role, label }) => ({ role, label })) : [],
    empty: nothingDue(results),
    panels,
  };
}

/** @param {ChartInput} input @returns {boolean} whether each connection makes one transfer, so that connects count */
const measuresConnects = ({ results }) => results.some((f) => f.workload === 'reconnect');

/**
 * Connections opened per second, and attempts if there were more.
 * @param {ChartInput} input @returns {Chart[]} none unless connects are measured
 */
export function opens(input) {
  if (!measuresConnects(input)) return [];
  return [
    rateChart(input, {
      id: 'opens',
      line: { role: 'line', label: 'opened', counter: 'opened' },
      title: 'Connections opened per second',
      unit: 'rate',
      lead: 'Each connection makes one transfer, is closed, and is opened again.',
      besides: { role: 'requested', label: 'attempted', counter: 'attempts' },
      hasBesides: ({ summary }) => (summary.attempts?.total ?? 0) > (summary.connections?.opened ?? 0) * 1.01,
      note: (f) => `${rate(opensPerSecond(f))}, ${count(f.summary.connections?.opened)} in all`,
    }),
  ];
}

/** @param {PageLeg} f @returns {boolean} whether requests are due at a rate */
const isDue = ({ figures, planned }) => (figures ? Boolean(figures.due) : planned?.rates !== undefined);

/** @param {ChartInput} input @returns {Chart} */
const sentChart = (input) =>
  rateChart(input, {
    id: 'sent',
    line: { role: 'line', label: 'sent', counter: 'bytesSent' },
    title: 'Payload sent (MB/s)',
    unit: 'throughput',
    lead: '1 MB/s is 10⁶ payload bytes handed to the kernel per second.',
    note: (f) => `${figureText(f, 'throughput sent')}, ${bytes(f.summary.transfers?.bytesSent)} in all`,
  });

/** Payload is in proportion to transfers if each second differs by at most this share of the largest one. */
const MAX_DEVIATION = 0.01;

/**
 * @param {ChartInput} input
 * @returns {number | undefined} payload bytes of each transfer; undefined unless payload is in proportion to transfers
 */
function bytesPerTransfer({ intervals }) {
  const seconds = intervals.flat().map((interval) => ({
    transfers: total(interval, 'counters', 'transfers'),
    bytesReceived: total(interval, 'counters', 'bytesReceived'),
  }));
  const transfers = seconds.reduce((sum, second) => sum + second.transfers, 0);
  if (transfers === 0) return undefined;
  const each = seconds.reduce((sum, second) => sum + second.bytesReceived, 0) / transfers;
  const largest = seconds.reduce((max, second) => Math.max(max, second.bytesReceived), 0);
  const isEven = seconds.every(
    (second) => Math.abs(second.bytesReceived - second.transfers * each) <= largest * MAX_DEVIATION,
  );
  return isEven && largest > 0 ? Math.round(each) : undefined;
}

/**
 * @param {ChartInput} input
 * @returns {Remark | undefined} the sentence that replaces the chart of the payload; undefined if the chart is needed
 */
function payloadRemark(input) {
  if (input.results.every((f) => f.summary.transfers?.bytesReceived === 0))
    return { code: 'no-payload', data: {}, text: 'No payload was received.' };
  const each = bytesPerTransfer(input);
  if (each === undefined) return undefined;
  const texts = input.results.map(
    (f) => `${input.results.length > 1 ? `${f.label} ` : ''}${figureText(f, 'throughput')}`,
  );
  const text = `Payload received: ${payload(each)} with every transfer, so transfers per second × ${payload(each)}`;
  return {
    code: 'as-transfers',
    data: { bytesPerTransfer: each },
    text: texts.length <= MAX_LISTED ? `${text}: ${texts.join(', ')}.` : `${text}.`,
  };
}

/** With more legs, the sentence omits their throughput. */
const MAX_LISTED = 6;

/** @param {ChartInput} input @returns {Chart[]} none if connects are measured, since their chart has the same curve */
export function transfers(input) {
  if (measuresConnects(input)) return [];
  const oneWay = input.results.some((f) => !hasReplies(f.settings));
  return [
    rateChart(input, {
      id: 'transfers',
      line: { role: 'line', label: oneWay ? 'sent' : 'answered', counter: 'transfers' },
      title: 'Transfers per second',
      unit: 'rate',
      lead: oneWay ? 'Payloads handed to the kernel completely.' : 'Complete, verified replies.',
      data: { counts: oneWay ? 'payloads' : 'replies' },
      besides: { role: 'due', label: 'due', counter: 'due' },
      hasBesides: isDue,
      note: (f) => `${figureText(f, 'rate')}, ${count(f.summary.transfers?.count)} in all`,
      marks: stallMarks,
    }),
  ];
}

/** @param {ChartInput} input @returns {Chart[]} */
export function payloads(input) {
  const received = rateChart(input, {
    id: 'bytes',
    line: { role: 'line', label: 'received', counter: 'bytesReceived' },
    title: 'Payload received (MB/s)',
    unit: 'throughput',
    lead: '1 MB/s is 10⁶ payload bytes received per second.',
    note: (f) => `${figureText(f, 'throughput')}, ${bytes(f.summary.transfers?.bytesReceived)} in all`,
  });
  return [
    { ...received, empty: received.empty ?? payloadRemark(input) },
    ...(input.results.some((f) => sendsMoreOf(f)) ? [sentChart(input)] : []),
  ];
}
