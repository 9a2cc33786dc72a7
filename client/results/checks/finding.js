// What a reader of a leg's figures should know about them: one table of codes with severity, text and remedy. Pure.
// The one thing to know: code and tests use `code` and `data`; `text` and `remedy` are for people and may change.

import { count, duration, percent, plain } from '../format.js';

/**
 * @typedef {'problem' | 'caution' | 'note'} Severity  problem: the server or target failed at something; caution: a figure
 *   may mislead; note: worth knowing
 * @typedef {{ code: string, severity: Severity, data: Record<string, any>, text: string, remedy?: string }} Finding
 */

const TIMES = ['', 'once', 'twice'];
/** @param {number} n @returns {string} once, twice, 3 times */
const times = (n) => TIMES[n] ?? `${count(n)} times`;

/** @type {Readonly<Record<string, string>>} */
const FIGURES = { perSecond: 'Throughput', p50Ns: 'The median response time' };

/** @param {number} share @returns {string} such as "rose by 12 %" */
const changed = (share) => `${share > 0 ? 'rose' : 'fell'} by ${percent(Math.abs(share), 2)}`;

/** @param {number | null} reached null: no interval @returns {string} */
function precisionText(reached) {
  if (reached === null) return 'without an interval';
  return reached > 1 ? 'to no better than ±100 %' : `to ±${percent(reached, 2)}`;
}

const table = {
  drift: {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {{ figure: string, change: number }} data */
    text: ({ figure, change }) =>
      `${FIGURES[figure]} ${changed(change)} during the steady state: the server had not settled, and the figures depend on when they were taken.`,
    remedy: 'Lengthen warmup, or duration.',
  },
  'slices-dependent': {
    severity: /** @type {Severity} */ ('note'),
    /** @param {{ figure: string, correlation: number }} data */
    text: ({ correlation }) =>
      `Neighbouring seconds resemble each other (correlation ${plain(correlation, 2)}): there were slower and faster phases, so that this leg says less than its length suggests.`,
    remedy: 'Lengthen duration, or measure more rounds.',
  },
  stalls: {
    severity: /** @type {Severity} */ ('problem'),
    /** @param {{ count: number, longestNs: number, totalNs: number, atNs: number[], whileBusy: number }} data atNs: of the first, since the leg began;
     *   whileBusy: how many of them while all cores of the machine were busy */
    text: ({ count: n, longestNs, atNs, whileBusy }) =>
      `No reply on any connection for ${n === 1 ? '' : 'up to '}${duration(longestNs, 2)}, ${times(n)}: ${atNs.map((ns) => duration(ns)).join(', ')}${n > atNs.length ? ', ...' : ''} after the start.${whileBusy === 0 ? '' : ` All cores were busy ${whileBusy === n ? 'then' : `in ${count(whileBusy)} of them`}, so the client may have been what waited.`}`,
    remedy: undefined,
  },
  'not-confident': {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {{ missed: import('./confidence.js').Precision[], seconds: number }} data */
    text: ({ missed, seconds }) =>
      `After ${count(seconds)} s of steady state ${missed
        .map(
          ({ percentile, wanted, reached }) =>
            `the ${percentile} is known ${precisionText(reached)}, not to the ±${percent(wanted, 2)} asked for`,
        )
        .join('; ')}.`,
    remedy: 'Raise untilConfident.maximum, or ask for less.',
  },
  'arrivals-distorted': {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {import('./arrivals.js').Arrivals & { lateShare: number }} data lateShare: of requests that waited for a connection */
    text: ({ distribution, distance, delayNs, lateShare }) =>
      `Requests were not sent as asked for: ${
        distribution === 'poisson'
          ? `the times between them differ from a Poisson process (by ${percent(distance, 2)}, Kolmogorov-Smirnov)`
          : `${percent(distance, 2)} of the times between them were more than half too long or too short`
      }; they were sent ${duration(delayNs)} late on average, ${percent(lateShare, 2)} because no connection was free.`,
    remedy: 'Lower the rate; or give the client more connections if many waited for one, else more workers or CPU.',
  },
};

/** @typedef {keyof typeof table} FindingCode */

/**
 * @template {FindingCode} Code
 * @param {Code} code @param {Parameters<(typeof table)[Code]['text']>[0]} data
 * @returns {Finding}
 */
export function finding(code, data) {
  const { severity, text, remedy } = table[code];
  const said = /** @type {(data: any) => string} */ (text)(data);
  return { code, severity, data, text: said, ...(remedy === undefined ? {} : { remedy }) };
}
