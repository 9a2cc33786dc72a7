// What --explain needs of a run.

import { UsageError } from '../errors.js';

/**
 * @import { Plan } from '../measure/settings.js'
 * @import { Place } from '../run/place.js'
 */

/** @type {{ code: string, isMet: (run: { plan: Plan, place: Place }) => boolean, text: string }[]} */
const NEEDS = [
  {
    code: 'started',
    isMet: ({ plan }) => plan.legs.every(({ server }) => server.kind !== 'target'),
    text: 'only a server that the run starts can be profiled; give --command or --servers',
  },
  { code: 'here', isMet: ({ place }) => place.isHere, text: 'servers on another host cannot be profiled' },
  {
    code: 'no-search',
    isMet: ({ plan }) => plan.search === undefined,
    text: 'a search has no load at which it could profile; give a rate or connections in place of find',
  },
];

/**
 * @param {{ plan: Plan, place: Place }} run that is to be explained
 * @throws {UsageError}
 */
export function checkExplained(run) {
  const lack = NEEDS.find(({ isMet }) => !isMet(run));
  if (lack !== undefined)
    throw new UsageError(`--explain: ${lack.text}`, { code: 'EOPTION', data: { option: 'explain', needs: lack.code } });
}
