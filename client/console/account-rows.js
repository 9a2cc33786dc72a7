// The account of connections as rows of the table of legs: the parts, which add up to the connections requested. Pure.

import { nothing } from './cells.js';
import { count } from '../words/format.js';
import { accountEntries, shownEntries } from '../words/account.js';

/** @typedef {import('./cells.js').LegSummary} LegSummary */

/** @param {LegSummary} leg @param {import('../words/account.js').Part} part */
const entryOf = ({ account }, part) => account && accountEntries(account).find((one) => one.part === part);

/**
 * The account: what became of each connection requested, in rows that add up to the first.
 * @param {LegSummary[]} legs @returns {[string, (leg: LegSummary) => string][]} none where no leg has one
 */
export function accountRows(legs) {
  const some = legs.find(({ account }) => account)?.account;
  if (some === undefined) return [];
  const leaving = legs.some(({ account }) => account?.leaving);
  const left = accountEntries(some).filter(({ part }) =>
    legs.some((leg) => leg.account && shownEntries(leg.account).some((one) => one.part === part)),
  );
  return [
    ['requested', ({ account }) => (account ? count(account.requested) : nothing)],
    ...(leaving
      ? [
          /** @type {[string, (leg: LegSummary) => string]} */ ([
            '  no longer requested',
            ({ account }) => (account ? count(account.leaving ?? 0) : nothing),
          ]),
        ]
      : []),
    ...left.map(
      ({ part, name }) =>
        /** @type {[string, (leg: LegSummary) => string]} */ ([
          `  ${name}`,
          (leg) => (leg.account ? count(entryOf(leg, part)?.value ?? 0) : nothing),
        ]),
    ),
  ];
}
