// The account of a leg's connections in words, for console and page. Pure.

import { accountParts } from '../measure/account.js';

/** @import { Account } from '../measure/account.js' */

/** @typedef {(typeof accountParts)[number]} Part */

/** @type {Readonly<Record<Part, string>>} */
const NAMES = Object.freeze({
  served: 'served',
  unanswered: 'unanswered',
  idle: 'open, nothing requested',
  connecting: 'still connecting',
  rejected: 'rejected',
  lost: 'lost',
  queued: 'not tried yet',
  closed: 'closed',
});

/** Parts that were not served. */
const BAD = /** @type {Part[]} */ (['unanswered', 'connecting', 'rejected', 'lost']);

/**
 * @typedef {{ part: Part, name: string, value: number, bad: boolean }} Entry  bad: there are some, and they were not
 *   served
 */

/** @param {Account} account @returns {Entry[]} every part, in order */
export const accountEntries = (account) =>
  accountParts.map((part) => ({
    part,
    name: NAMES[part],
    value: account[part],
    bad: BAD.includes(part) && account[part] > 0,
  }));

/**
 * @param {Account} account
 * @returns {Entry[]} the parts that there are; served always, unless nothing was requested of any
 */
export const shownEntries = (account) => {
  const isHeldOnly = account.idle > 0 && account.served === 0;
  return accountEntries(account).filter(({ part, value }) => value > 0 || (part === 'served' && !isHeldOnly));
};
