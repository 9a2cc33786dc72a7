/**
 * Transfers and payload received per second, the legs over one another; payload only where transfers do not tell it.
 */
import { hasReplies } from '../../../client/scenario/load-text.js';
import { hadTurn, lineOf, middle, perSeconds, total } from '../downsample.js';
import { rateWhileMeasured } from '../../../client/measure/slices.js';
import { bytes, count, payload, rate } from '../../../client/words/format.js';
import { nothingDue } from './response-time.js';
import { stallMarks } from './stalls.js';
import { figureText, opensPerSecond, sendsMoreOf } from '../page-leg.js';

/**
 * @import { Chart, PageLeg, Remark, Sample } from '../../types.js'
 * @import { ChartInput } from './all.js'
 */

/**
 * @param {ChartInput} input
 * @param {{ id: string, counter: keyof Sample['counters'], title: string, lead: string, unit: string, data?:
 *   Record<string, any>, alt: (f: PageLeg) => string }} what
 * @returns {Chart}
 */
function overlay({ legs, results, intervals, xMax }, what) {
  let most = 0;
  const datasets = legs.map((leg, i) => {
    // of intervals without a point of their own, which the next point counts
    let before = 0;
    const last = intervals[i].length - 1;
    const points = lineOf(intervals[i], (interval, at) => {
      const counted = total(interval, 'counters', what.counter);
      if (!hadTurn(interval) && at < last) {
        before += counted;
        return null;
      }
      // A fraction of a second at the end gives no rate: it is counted but not drawn.
      const remnant = interval.phase === 'drain' && interval.seconds < 0.5;
      const perSecond = interval.last.slices
        ? rateWhileMeasured(interval.samples, counted)
        : counted / perSeconds(interval);
      const value = remnant || perSecond === undefined ? null : Number(perSecond.toPrecision(6));
      most = Math.max(most, value ?? 0);
      const all = counted + before;
      before = 0;
      return [middle(interval), value, all];
    });
    return { role: 'leg', leg: i, label: leg.label, points };
  });
  return {
    id: what.id,
    layout: 'overlay',
    kind: 'line',
    title: what.title,
    lead: what.lead,
    data: what.data,
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'linear', unit: what.unit, min: 0, max: most * 1.05 || 1 },
    legend: [],
    empty: nothingDue(results),
    panels: [
      {
        leg: null,
        datasets,
        phases: true,
        alt: `${what.title}. ${results.map((f) => `${f.label}: ${what.alt(f)}`).join('; ')}.`,
      },
    ],
  };
}

/**
 * Connections opened per second, and what was attempted where that was more.
 * @param {ChartInput} input @returns {Chart}
 */
export function opens(input) {
  const chart = overlay(input, {
    id: 'opens',
    counter: 'opened',
    title: 'Connections opened per second',
    unit: 'rate',
    lead: 'Each connection makes one transfer, is closed, and is opened again.',
    alt: (f) => `${rate(opensPerSecond(f))}, ${count(f.summary.connections?.opened)} in all`,
  });
  const more = input.results.flatMap((f, i) =>
    (f.summary.attempts?.total ?? 0) > (f.summary.connections?.opened ?? 0) * 1.01 ? [i] : [],
  );
  if (more.length === 0) return chart;
  const attempts = overlay(input, { ...chart, counter: 'attempts', unit: 'rate', alt: () => '' });
  const [panel] = chart.panels;
  panel.datasets.push(
    ...more.map((i) => {
      const dataset = attempts.panels[0].datasets[i];
      return { ...dataset, role: 'thin', label: `${dataset.label}, attempted` };
    }),
  );
  return {
    ...chart,
    data: { attempts: true },
    lead: `${chart.lead} The thin line is the attempts, where there were more.`,
    y: { ...chart.y, max: Math.max(chart.y.max ?? 0, attempts.y.max ?? 0) },
  };
}

/** @param {PageLeg} f @returns {boolean} whether requests were due by a rate, or will be */
const isDue = ({ figures, planned }) => (figures ? Boolean(figures.due) : planned?.rates !== undefined);

/**
 * In open loop, adds the requests due to the transfers.
 * @param {ChartInput} input @param {Chart} chart
 * @returns {Chart}
 */
function withDue(input, chart) {
  const open = input.results.flatMap((f, i) => (isDue(f) ? [i] : []));
  if (open.length === 0) return chart;
  const due = overlay(input, { ...chart, counter: 'due', unit: 'rate', alt: () => '' });
  const [panel] = chart.panels;
  panel.datasets.push(
    ...open.map((i) => {
      const dataset = due.panels[0].datasets[i];
      return { ...dataset, role: 'due', label: `${dataset.label}, due` };
    }),
  );
  return {
    ...chart,
    data: { ...chart.data, due: true },
    lead: `${chart.lead} The wide grey line is the requests due.`,
    y: { ...chart.y, max: Math.max(chart.y.max ?? 0, due.y.max ?? 0) },
  };
}

/** @param {ChartInput} input @returns {Chart} */
const sentChart = (input) =>
  overlay(input, {
    id: 'sent',
    counter: 'bytesSent',
    title: 'Payload sent (MB/s)',
    unit: 'throughput',
    lead: '1 MB/s is 10⁶ payload bytes handed to the kernel per second.',
    alt: (f) => `${figureText(f, 'throughput sent')}, ${bytes(f.summary.transfers?.bytesSent)} in all`,
  });

/** Payload is the same line as transfers where it differs by no more than this share of its greatest second. */
const MAX_DEVIATION = 0.01;

/**
 * @param {ChartInput} input
 * @returns {number | undefined} payload bytes of each transfer, where in every second of every leg they are as many
 */
function bytesPerTransfer({ intervals }) {
  const all = intervals.flat().map((interval) => ({
    transfers: total(interval, 'counters', 'transfers'),
    bytesReceived: total(interval, 'counters', 'bytesReceived'),
  }));
  const transfers = all.reduce((sum, one) => sum + one.transfers, 0);
  if (transfers === 0) return undefined;
  const each = all.reduce((sum, one) => sum + one.bytesReceived, 0) / transfers;
  const most = all.reduce((sum, one) => Math.max(sum, one.bytesReceived), 0);
  const isEven = all.every((one) => Math.abs(one.bytesReceived - one.transfers * each) <= most * MAX_DEVIATION);
  return isEven && most > 0 ? Math.round(each) : undefined;
}

/**
 * @param {ChartInput} input
 * @returns {Remark | undefined} in place of a chart of the payload that repeats the transfers
 */
function sameAsTransfers(input) {
  if (input.results.every((f) => f.summary.transfers?.bytesReceived === 0))
    return { code: 'no-payload', data: {}, text: 'No payload was received.' };
  const each = bytesPerTransfer(input);
  if (each === undefined) return undefined;
  const said = input.results.map(
    (f) => `${input.results.length > 1 ? `${f.label} ` : ''}${figureText(f, 'throughput')}`,
  );
  const text = `Payload received: ${payload(each)} with every transfer, so transfers per second × ${payload(each)}`;
  return {
    code: 'as-transfers',
    data: { bytesPerTransfer: each },
    text: said.length <= MAX_SAID ? `${text}: ${said.join(', ')}.` : `${text}.`,
  };
}

/**
 * @param {ChartInput} input @param {Chart} chart
 * @returns {Chart} with a line where a server stalled
 */
function withStalls({ legs }, chart) {
  const [panel] = chart.panels;
  return { ...chart, panels: [{ ...panel, marks: stallMarks(legs) }] };
}

/** Legs whose throughput is named in a sentence. */
const MAX_SAID = 6;

/** @param {ChartInput} input @returns {Chart[]} */
export function throughputs(input) {
  const oneWay = input.results.some((f) => !hasReplies(f.settings));
  const received = overlay(input, {
    id: 'bytes',
    counter: 'bytesReceived',
    title: 'Payload received (MB/s)',
    unit: 'throughput',
    lead: '1 MB/s is 10⁶ payload bytes received per second.',
    alt: (f) => `${figureText(f, 'throughput')}, ${bytes(f.summary.transfers?.bytesReceived)} in all`,
  });
  return [
    withStalls(
      input,
      withDue(
        input,
        overlay(input, {
          id: 'transfers',
          counter: 'transfers',
          title: 'Transfers per second',
          unit: 'rate',
          lead: oneWay ? 'Payloads handed to the kernel completely.' : 'Complete, verified replies.',
          data: { counts: oneWay ? 'payloads' : 'replies' },
          alt: (f) => `${figureText(f, 'rate')}, ${count(f.summary.transfers?.count)} in all`,
        }),
      ),
    ),
    { ...received, empty: received.empty ?? sameAsTransfers(input) },
    ...(input.results.some((f) => sendsMoreOf(f)) ? [sentChart(input)] : []),
  ];
}
