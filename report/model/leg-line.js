/** What the list of runs says of a leg, in one line. */
import { heldText } from '../../client/judge/table.js';
import { firstLineOf } from '../../client/words/endings.js';
import { count } from '../../client/words/format.js';
import { unwantedText } from '../../client/words/replies.js';
import { figureText, spanned, unansweredOf } from './page-leg.js';

/** @param {import('../types.js').PageLeg} f @returns {string} such as "held 10,000 of 10,000, unanswered 0, rejects 0, errors 0, p99 250 ms" */
export function legLine(f) {
  const { failure, heldOnly, churns, connections, rejects, errors, account } = f.summary;
  if (!f.ran) return `did not run${failure?.text ? `: ${firstLineOf(failure.text)}` : ''}`;
  const unwanted = unwantedText(f.figures?.statuses);
  return [
    account && !heldOnly && !churns
      ? `served ${count(account.served)} of ${count(account.requested)}`
      : heldText(spanned(f), f.workload),
    heldOnly
      ? `lost ${count(connections?.lost)}`
      : `unanswered ${count(churns ? connections?.neverAnswered : unansweredOf(f))}`,
    `rejects ${count(rejects?.total)}`,
    `errors ${count(errors?.total)}`,
    [heldOnly ? 'connect p99' : 'p99'].map((name) => `${name} ${figureText(f, name)}`).join(''),
    ...(unwanted ? [`replies ${unwanted}`] : []),
  ].join(', ');
}
