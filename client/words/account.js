// Texts for the account of a leg's connections, for console and page.

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

/** Parts that count as failures. */
const BAD = /** @type {Part[]} */ (['unanswered', 'connecting', 'rejected', 'lost']);

/**
 * @typedef {{ part: Part, name: string, value: number, bad: boolean }} Entry  bad: a failure whose value is not 0
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
 * @returns {Entry[]} the parts that are not 0, and "served", unless connections were only held
 */
export const shownEntries = (account) => {
  const isHeldOnly = account.idle > 0 && account.served === 0;
  return accountEntries(account).filter(({ part, value }) => value > 0 || (part === 'served' && !isHeldOnly));
};
