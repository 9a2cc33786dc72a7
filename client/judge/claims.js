// Claims of earlier comparisons, each held against the figures of a run that has the same servers. Pure.

import { findingsOf2016 } from '../predecessors/server-bench/findings.js';

/** @import { RunSummary } from '../../config/types.js' */

/**
 * @typedef {object} Claim
 * @property {string} code
 * @property {boolean} holds  whether this run's figures agree with it
 * @property {Record<string, any>} data  the figures that say so
 * @property {string} text
 *
 * @typedef {object} Claims  of one comparison
 * @property {string} id  of the section of the page
 * @property {string} title  of the section
 * @property {string} lead  first paragraph of the section
 * @property {string} heading  on the console
 * @property {Claim[]} claims  empty where the run has none of its servers
 *
 * @typedef {{ legs: { server: any }[] } | null} Plan  of the run
 */

/** The earlier comparisons: one line each. @type {((summary: RunSummary, plan: Plan) => Claims)[]} */
const COMPARISONS = [findingsOf2016];

/**
 * @param {RunSummary} summary of a run
 * @param {Plan} plan
 * @returns {Claims[]} of the comparisons with claims about it
 */
export const claimsOf = (summary, plan) =>
  COMPARISONS.map((judge) => judge(summary, plan)).filter(({ claims }) => claims.length > 0);
