/** Distributions of several legs in one plot: response, connect and recovery time by percentile. */
import { Histogram } from '../../../client/measure/histogram.js';
import { figureOf } from '../../../client/judge/figures.js';
import { percentileCurve } from '../histogram.js';
import { count, duration } from '../../../client/words/format.js';
import { capital, scopeText } from '../scope.js';
import { decadeBelow, nothingDue } from './response-time.js';
import { failedShare, percentileHolds, sentOf, timedSamples } from '../../../client/measure/leg-figures.js';
import { figureText, noSecondSyn } from '../page-leg.js';

/**
 * @import { Outcomes } from '../../../client/measure/leg-figures.js'
 * @import { Chart, ChartId, Dataset, PageLeg, Panel, Point, Remark, Sample } from '../../types.js'
 * @import { ChartInput } from './all.js'
 */

/**
 * @typedef {object} What
 * @property {ChartId} id
 * @property {keyof Sample['histograms']} name
 * @property {string} of  prefix of the names of its figures
 * @property {(f: PageLeg) => Outcomes | undefined} [outcomesOf]  outcomes of the steady state's requests, if the times
 *   are those of the steady state; absent: times of the whole leg
 * @property {string} title
 * @property {string} lead
 * @property {Record<string, unknown>} [data]
 * @property {Remark} [note]
 * @property {string} none  text shown if there is no time
 * @property {string} [few]  participle for the counted events; set if a sentence replaces a plot of few values
 */

/** A curve needs at least this many values. */
const MIN_VALUES = 20;

/** @param {Map<string, Histogram>} timesByLeg @param {string} what @returns {Remark} */
function fewRemark(timesByLeg, what) {
  const texts = [...timesByLeg].map(([label, times]) => {
    const range = times.count === 1 ? duration(times.max) : `${duration(times.min)} to ${duration(times.max)}`;
    return `${label}: ${count(times.count)} ${what}, ${range}`;
  });
  const data = Object.fromEntries([...timesByLeg].map(([label, times]) => [label, times.count]));
  return { code: 'few', data, text: `${texts.join('; ')}.` };
}

/** @param {ChartInput} input @param {What} what @returns {Chart} */
function byPercentile({ legs, results, synRetryNs }, what) {
  let [min, max] = [Infinity, 0];
  /** @type {Dataset[]} */
  const datasets = [];
  /** @type {string[]} */
  const legTexts = [];
  /** @type {Map<string, Histogram>} */
  const timesByLeg = new Map();
  legs.forEach((leg, i) => {
    const samples = what.outcomesOf ? timedSamples(results[i].summary, leg.samples) : leg.samples;
    const merged = Histogram.ofLines(samples.map((sample) => sample.histograms?.[what.name]));
    if (merged.count === 0) return;
    timesByLeg.set(leg.label, merged);
    // Failed and unfinished transfers have no time: the curve ends before them, with a mark.
    const outcomes = what.outcomesOf?.(results[i]);
    const cut = outcomes !== undefined && !percentileHolds(outcomes, 99.99);
    const points = percentileCurve(merged, cut ? 1 - failedShare(outcomes) : 1);
    [min, max] = [Math.min(min, merged.min), Math.max(max, merged.max)];
    const keys = ['p50', 'p99', 'max'].filter((key) => figureOf(`${what.of}${key}`));
    const texts = keys.map((key) => `${key} ${figureText(results[i], `${what.of}${key}`)}`);
    legTexts.push(`${leg.label}: ${texts.join(', ')}`);
    datasets.push({
      role: 'leg',
      ...{ color: results[i].colour, mark: i },
      label: leg.label,
      points,
      total: merged.count,
      end: cut ? '> max' : undefined,
    });
  });
  const areFew = what.few !== undefined && [...timesByLeg.values()].every((times) => times.count < MIN_VALUES);
  return {
    id: what.id,
    kind: 'line',
    title: what.title,
    lead: `${what.lead}${datasets.some(({ end }) => end) ? ' A curve that ends in ▲ stops where failed and unfinished transfers make the percentile unknown.' : ''}`,
    legend: [],
    data: what.data,
    empty:
      (what.outcomesOf && nothingDue(results)) ||
      (datasets.length === 0
        ? { code: 'nothing-recorded', data: {}, text: what.none }
        : areFew
          ? fewRemark(timesByLeg, what.few ?? '')
          : undefined),
    x: {
      ...{ type: 'percentile', unit: 'percentile', min: 1 },
      max: Math.max(2, ...datasets.map(({ points }) => points.at(-1)?.[0] ?? 1)),
    },
    y: { type: 'log', unit: 'duration', min: Number.isFinite(min) ? decadeBelow(min) : 1e3, max: max * 1.3 || 1e9 },
    panels: [
      {
        leg: null,
        datasets,
        marks:
          what.id === 'connect' && results.some((f) => f.summary.connectSteps)
            ? retryMarks(synRetryNs, max)
            : undefined,
        ...(what.note ? { note: what.note } : {}),
        alt: `${what.title}. ${legTexts.join('; ') || what.none}.`,
      },
    ],
  };
}

/**
 * @param {number[]} times when the kernel sends a SYN again, ns
 * @param {number} max the longest connect time, ns
 * @returns {Panel['marks']}
 */
function retryMarks(times, max) {
  return times
    .filter((at) => at <= max)
    .map((at, i) => ({ axis: 'y', at, label: i === 0 ? `SYN sent again: ${duration(at)}` : duration(at) }));
}

/**
 * @param {ChartInput} input
 * @returns {Remark} whether connects needed a second SYN, as far as known
 */
function secondSynRemark({ results, synRetryNs: [first] }) {
  const [code, text] = results.some((f) => f.summary.connectSteps)
    ? [
        'needed',
        'Dashed lines mark when the kernel sends an unanswered SYN again; a full accept queue causes steps there.',
      ]
    : first === undefined
      ? ['unknown', '']
      : results.every(noSecondSyn)
        ? ['not-needed', 'No connect needed a second SYN.']
        : ['rejects-only', `Every connection that opened did so within ${duration(first)}.`];
  return { code, data: { first }, text };
}

/** @type {What} */
const SERVICE = {
  id: 'service',
  name: 'serviceTime',
  of: 'service ',
  outcomesOf: ({ figures }) => figures && sentOf(figures),
  title: 'Service time by percentile (open loop)',
  lead: 'From when a request was sent. Response time starts when it was due, so it includes the wait for a connection.',
  none: 'No transfer completed.',
};

/** @type {What} */
const HANDSHAKE = {
  id: 'handshake',
  name: 'handshakeTime',
  of: 'handshake ',
  title: 'Handshake time by percentile (TLS)',
  lead: 'Full handshakes of the whole measurement: from the client’s first bytes to the server’s last.',
  none: 'No handshake completed.',
};

/** @type {What} */
const RESUMPTION = {
  ...HANDSHAKE,
  id: 'resumption',
  name: 'resumptionTime',
  of: 'resumed ',
  title: 'Handshake time by percentile (TLS, resumed)',
  lead: 'Connections that resumed an earlier session, whole measurement.',
  none: 'No session was resumed.',
};

/** @param {ChartInput} input @returns {Chart[]} */
export function responseDistributions(input) {
  const saturation = input.isAlone ? input.results[0].saturation : null;
  return [
    byPercentile(input, {
      id: 'percentiles',
      ...(saturation ? { note: saturation } : {}),
      name: 'responseTime',
      of: '',
      outcomesOf: ({ figures }) => figures,
      title: `Response time by percentile (${input.loop})`,
      lead: `${capital(scopeText(input.results))}${input.results.some((f) => f.summary.slices) ? ', all transfers together: the p50 of the tables is a median of blocks' : ''}.`,
      none: 'No transfer completed.',
    }),
    ...(input.results.every((f) => f.closed) ? [] : [byPercentile(input, SERVICE)]),
  ];
}

/** @param {ChartInput} input @returns {Chart[]} */
export function connectDistributions(input) {
  const secondSyn = secondSynRemark(input);
  return [
    byPercentile(input, {
      id: 'connect',
      name: 'connectTime',
      of: 'connect ',
      title: 'Connect time by percentile',
      lead: `From the start of the attempt until the connection was open, whole measurement. ${secondSyn.text}`.trim(),
      data: { secondSyn: secondSyn.code },
      none: 'No connection opened.',
    }),
    ...(input.results.every((f) => !f.summary.handshakeTimeNs) ? [] : [byPercentile(input, HANDSHAKE)]),
    ...(input.results.every((f) => !f.summary.resumptionTimeNs) ? [] : [byPercentile(input, RESUMPTION)]),
    byPercentile(input, {
      id: 'recovery',
      name: 'recoveryTime',
      of: 'recovery ',
      title: 'Recovery time by percentile',
      lead: 'From the loss of a connection until it was open again, including back-off.',
      none: 'No lost connection was reopened.',
      few: 'reopened',
    }),
  ];
}
