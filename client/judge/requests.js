// The figures of one request of a list, for conditions (`p99 of checkout < 50ms`) and tables. A request is read as if
// it were a leg.

import { figuresOf } from '../measure/leg-figures.js';

/**
 * @import { LegSummary } from '../../config/types.js'
 * @import { ProtocolOptions } from '../protocols/index.js'
 * @import { Figure } from './figures.js'
 */

const TIMES = ['p50', 'p90', 'p95', 'p99', 'p99.9', 'p99.99', 'max', 'mean'];
const COUNTS = ['rate', 'transfers', 'failed', 'failed share', 'failed replies'];
/** Figures that a request has, besides its kinds of replies. */
export const requestFigures = Object.freeze([...COUNTS, ...TIMES]);

/** @param {Figure} figure @returns {boolean} whether a request of a list has it */
export const isOfRequest = ({ name }) => requestFigures.includes(name) || name.startsWith('replies.');

/**
 * @param {Pick<ProtocolOptions, 'requests'>} protocolOptions of http
 * @returns {string[]} the names of the list; empty without a list of two or more requests
 */
export function requestNames(protocolOptions) {
  const { requests = [] } = Object(protocolOptions);
  return requests.length < 2 ? [] : requests.map((/** @type {{ name: string }} */ { name }) => name);
}

/**
 * @param {Partial<LegSummary>} leg @param {string} name of a request
 * @returns {Partial<LegSummary>} with the figures of the request; empty if the leg does not have it
 */
export function legOfRequest(leg, name) {
  const request = leg.requests?.find((entry) => entry.name === name);
  if (request === undefined) return {};
  const { fromNs = 0, toNs = 0 } = figuresOf(leg) ?? {};
  return /** @type {Partial<LegSummary>} */ ({
    transfers: request.transfers,
    statuses: request.statuses,
    steady: { fromNs, toNs, ...request.figures },
    ...(leg.slices && { slices: { ...leg.slices, histograms: { responseTime: request.responseTime } } }),
  });
}
