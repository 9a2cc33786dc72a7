/**
 * Saturation of a leg. In a closed loop, the mean response time always equals connections (times the transfers in
 * flight on each) / throughput. The page prints that quotient next to p50. It calls a leg saturated only if the server,
 * or the machine because of the server, was at its limit.
 */
import { figureOf } from '../../client/judge/figures.js';
import { valueOf } from '../../client/judge/value-of.js';
import { isBackgroundLoad } from '../../client/judge/disturbances.js';
import { inFlight, inFlightShare, withFigures } from '../../client/measure/leg-figures.js';
import { CLIENT_WAS_LIMIT } from '../../client/words/figures.js';
import { count, duration, percent, rate } from '../../client/words/format.js';

/**
 * @import { Figures } from '../../config/types.js'
 * @import { NotSaturated, PageLeg, Sample, Saturation } from '../types.js'
 */

/**
 * @typedef {Pick<PageLeg, 'shown' | 'summary' | 'figures' | 'planned' | 'settings' | 'workload' | 'closed'>} LoadedLeg
 */

/** Quotient and p50 agree when they differ by less than this share. */
const AGREEMENT = 0.15;
/** Cores. Connections do not queue for a server that uses less. */
const MIN_BUSY_CORES = 0.75;

/** @param {LoadedLeg} f @returns {number | undefined} cores that the server used */
const coresOf = ({ figures }) => figures?.server?.processCpu?.reduce((sum, share) => sum + share, 0);

/**
 * @param {LoadedLeg} f
 * @returns {string | undefined} the server's work for each request, as in the scenario: 5ms-10ms
 */
const workOf = ({ planned }) => (planned?.server.kind === 'named' ? planned.server.options.work : undefined);

/**
 * @param {LoadedLeg} f
 * @returns {NotSaturated | null} why a leg whose quotient agrees with p50 was not saturated; null if it was
 */
function otherReason(f) {
  const { limitedBy, warnings } = f.summary;
  if (workOf(f)) return 'server-work';
  if (limitedBy === 'client') return 'client-limit';
  if (limitedBy === 'unknown') return 'server-unknown';
  if (limitedBy !== 'server' && limitedBy !== 'machine') return 'no-limit';
  if (limitedBy === 'machine' && warnings.some(isBackgroundLoad)) return 'background-load';
  const cores = coresOf(f);
  if (cores === undefined) return 'server-unknown';
  return cores < MIN_BUSY_CORES ? 'server-idle' : null;
}

/** @type {Record<NotSaturated, (f: LoadedLeg) => string>} */
const REASONS = {
  'server-work': (f) => `every transfer waits for the server’s work (${workOf(f)})`,
  'client-limit': () => CLIENT_WAS_LIMIT,
  'no-limit': () => 'no side was at its limit',
  'background-load': () => 'other programs used part of the machine',
  'server-unknown': () => 'the CPU use of the server, or of its threads, is unknown',
  'server-idle': (f) => `the server used only ${percent(coresOf(f) ?? 0)} of a core`,
};

/**
 * @param {Figures | undefined} figures
 * @returns {string} share of connections with a request in flight; may be empty
 */
function inFlightText(figures) {
  const [mean, share] = [inFlight(figures), inFlightShare(figures)];
  return mean === undefined || share === undefined
    ? ''
    : `. On average ${count(Math.round(mean))} of ${count(Number(figures?.mostInFlight))} (${percent(share)}) had a request in flight`;
}

/**
 * @param {LoadedLeg} f
 * @param {Sample[]} samples the samples that the leg's rates cover
 * @returns {Saturation | null} null if the quotient says nothing: open loop, pauses, hold, no replies
 */
export function saturationOf(f, samples) {
  const { pauseNs = 0, pipeline = 1 } = f.settings;
  if (!f.closed || pauseNs > 0 || ['hold', 'once', 'reconnect'].includes(f.workload)) return null;
  const summary = withFigures(f.summary);
  const [perSecond, p50Ns] = ['rate', 'p50'].map((name) => {
    const figure = figureOf(name);
    return figure && Number(valueOf(figure, f.shown).value);
  });
  if (!p50Ns || !perSecond || !samples.length) return null;
  const mean = (/** @type {'open' | 'unanswered'} */ name) =>
    samples.reduce((sum, sample) => sum + (sample.gauges[name] ?? 0), 0) / samples.length;
  const open = mean('open');
  const answered = open - mean('unanswered');
  // The leg ended before its first sample.
  if (open === 0) return null;
  const quotientOf = (/** @type {number} */ connections) => (connections / perSecond) * 1e9 * pipeline;
  const agrees = (/** @type {number} */ connections) => Math.abs(quotientOf(connections) - p50Ns) <= AGREEMENT * p50Ns;
  const someUnanswered = answered < open * 0.99;
  // Unanswered connections have no share of the throughput.
  const of = someUnanswered ? 'answered' : 'open';
  const connections = of === 'open' ? open : answered;
  const quotientNs = quotientOf(connections);
  const code = agrees(connections) ? (otherReason(f) ?? 'saturated') : 'differs';

  const isSteady = samples.every((sample) => Math.abs(sample.gauges.open - open) <= 0.02 * open);
  const average = of === 'answered' || isSteady ? '' : ' on average';
  const times = pipeline > 1 ? ` × ${count(pipeline)} in flight on each` : '';
  const quotient = `${count(connections)} ${of}${average}${times} ÷ ${rate(perSecond)} = ${duration(quotientNs)}`;
  const meaning =
    code === 'saturated'
      ? '. It was saturated: response time is time in a queue'
      : code === 'differs'
        ? inFlightText(summary.steady)
        : `. This alone does not mean saturation: ${REASONS[code](f)}`;
  return {
    code,
    data: { quotientNs, of, connections, p50Ns },
    text: `${quotient}; p50 is ${duration(p50Ns)}${meaning}.`,
  };
}
