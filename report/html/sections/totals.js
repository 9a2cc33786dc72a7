/** The totals: the figures that the overview does not have, next to the connections that qualify them; and all others, folded. */
import { figures } from '../../../client/judge/figures.js';
import { isTold } from '../../../client/judge/figure-values.js';
import { endingText } from '../../../client/words/endings.js';
import { fewPlacesText, placesText, servedOnlySome, timeIntervalText } from '../../../client/words/figures.js';
import { count, duration } from '../../../client/words/format.js';
import { sampledText } from '../../../client/words/timestamps.js';
import { areMany, grouped } from '../../model/leg-order.js';
import { valueOf } from '../../model/page-leg.js';
import { capital, scopeText } from '../../model/scope.js';
import { serverText } from '../../model/server-words.js';
import { html } from '../html.js';
import { legSection, roundsOf } from './leg-name.js';
import { columnOf, figureRows, legRows } from './leg-table.js';

/** @typedef {import('../../types.js').PageLeg} PageLeg */
/** @typedef {import('../../../client/judge/figures.js').Figure} Figure */
/** @typedef {import('./leg-table.js').Column} Column */

/** Groups of figures that are no totals, but what client and server used. */
const USED = ['client', 'server'];
/** Groups that are on the card of each leg, which many legs do not have. */
const ON_CARDS = ['service time', 'handshake time'];

/** @param {PageLeg[]} results @returns {boolean} whether connecting is what was measured */
const areConnects = (results) => results.some((f) => f.summary.heldOnly || f.workload === 'reconnect');

/** @param {PageLeg[]} results @returns {string[]} names of the figures that the overview above the table shows */
function toldAbove(results) {
  // there the overview has the times of connects
  if (areConnects(results)) return [];
  return ['rejects', 'errors', 'rate', 'p50', 'p99', ...(areMany(results) ? ['max'] : [])];
}

/**
 * @param {PageLeg[]} results
 * @returns {{ head: Figure[], rest: Figure[] }} head: those that have a short title, or a place in the tables of few figures or in the live lines
 */
function chosenFigures(results) {
  const ran = results.filter((f) => f.ran);
  const told = toldAbove(results);
  const isHead = (/** @type {Figure} */ { group, rank, column, live, swept }) =>
    [rank, column, live, swept].some((one) => one !== undefined) &&
    !USED.includes(group) &&
    (group !== 'connect time' || areConnects(results)) &&
    (areMany(results) || !ON_CARDS.includes(group));
  const shown = figures.filter(
    (figure) =>
      figure.of &&
      !told.includes(figure.name) &&
      isTold(
        figure,
        ran.map((f) => valueOf(f, figure)),
      ),
  );
  return { head: shown.filter(isHead), rest: shown.filter((figure) => !isHead(figure)) };
}

/** @param {'sendDelayNs' | 'networkAndServerNs' | 'receiveDelayNs' | 'connectionWaitNs'} part @param {string} name @returns {Column} of the transfers that kernel timestamps split */
const partRow = (part, name) => ({
  code: `timestamps-${part}`,
  name: `${name} p50 / p99 / max`,
  of: ({ figures: { timestamps } = {} }) => {
    const times = timestamps?.[part];
    return times ? `${duration(times.p50)} / ${duration(times.p99)} / ${duration(times.max)}` : '–';
  },
});

/** What is said of a leg besides its figures. @type {Column[]} */
const FACTS = [
  {
    code: 'response-intervals',
    name: '95 % intervals of p50; p99',
    of: ({ figures: own }) => `${timeIntervalText(own, 'p50', 50) ?? '–'}; ${timeIntervalText(own, 'p99', 99) ?? '–'}`,
  },
  {
    code: 'timestamps',
    name: 'transfers with kernel timestamps',
    of: (f) => sampledText(f.figures?.timestamps) ?? '–',
  },
  partRow('connectionWaitNs', 'wait for a connection'),
  partRow('sendDelayNs', 'send delay'),
  partRow('networkAndServerNs', 'network and server'),
  partRow('receiveDelayNs', 'receive delay'),
  { code: 'saturation', name: 'connections ÷ throughput', of: (f) => f.saturation?.text ?? '–' },
  { code: 'server-model', name: 'server', of: (f) => serverText(f) ?? '–' },
  { code: 'serves-at-once', name: 'connections it serves at once', of: (f) => placesText(f.summary) ?? '–' },
  { code: 'ended', name: 'ended', of: (f) => endingText(f.summary.endedBy ?? 'never') },
  { code: 'log', name: 'transfer log rows', of: (f) => count(f.summary.log?.rows) },
];

/** @param {PageLeg[]} ran @returns {Column[]} */
function factsOf(ran) {
  const counters = [...new Set(ran.flatMap((f) => Object.keys(f.summary.kernel ?? {})))];
  const kernel = counters
    .filter((name) => ran.some((f) => f.summary.kernel?.[name]))
    .map((name) => ({
      code: name,
      name: `kernel: ${name}`,
      of: (/** @type {PageLeg} */ f) => count(f.summary.kernel?.[name]),
    }));
  return [...FACTS.filter(({ of }) => ran.some((f) => !/^–(; –)?$/.test(of(f)))), ...kernel];
}

/** @param {PageLeg} f @returns {import('../html.js').Fragment | null} under its name */
function servedBelow({ summary }) {
  const some = servedOnlySome(summary);
  return some && fewPlacesText(summary)
    ? html`<span class="said bad" data-code="served-only-some">${some}</span>`
    : null;
}

/** @param {PageLeg[]} results @param {string} loop @returns {import('../html.js').Fragment} */
export function totals(results, loop) {
  const many = areMany(results);
  const legs = many ? grouped(results) : [{ name: '', results }];
  const ran = legs.flatMap((group) => group.results).filter((f) => f.ran);
  const { head, rest } = chosenFigures(results);
  // in once, the number answered is a median
  const isOfWorst = roundsOf(results) > 1 && results.every((f) => f.workload !== 'once');
  /** @type {Record<string, string>} */
  const titles = {
    'response time': `Response time (${loop})`,
    ...(isOfWorst ? { connections: 'Connections (worst round)' } : {}),
  };
  const inRounds = roundsOf(results) > 1;
  const others = [...rest.map((figure) => columnOf(figure, inRounds)), ...factsOf(ran)];
  const named = { label: 'All other numbers', kind: `details ${many ? 'of-many' : 'few'}` };
  const details =
    ran.length === 0
      ? null
      : html`<details><summary>All other numbers</summary>${many ? legRows([{ name: '', results: ran }], others, named) : figureRows(ran, others, named)}</details>`;
  const rounds = inRounds
    ? 'Medians over the rounds; connections are those of the round that served the fewest, failures those of the round with the most. '
    : '';
  const content = html`
<p class="lead">${rounds}${
    results.some((f) => f.workload === 'once')
      ? 'All figures cover the whole leg'
      : results.some((f) => f.summary.churns)
        ? `Numbers of connections cover the whole leg; rates and response times cover the ${scopeText(results)}. “Reopened” counts connections that had been closed as planned, “lost” those that ended by an error`
        : `Numbers of connections cover the whole leg; open and unanswered are those just before the drain${results.some((f) => f.summary.connections?.neverAnswered) ? ', unanswered after drain those that had no reply in the drain either' : ''}. Response times and throughput cover the ${scopeText(results)}`
  }. A percentile reads “&gt; max” where too many transfers failed or were unfinished for it to be known.</p>
${
  head.length === 0
    ? null
    : legRows(
        legs,
        head.map((figure) => columnOf(figure, inRounds)),
        {
          label: 'Table of totals',
          kind: `totals${many ? '' : ' few'}`,
          title: (group) => titles[group] ?? capital(group),
          below: servedBelow,
        },
      )
}${
    results.some((f) => servedOnlySome(f.summary))
      ? html`<p class="lead foot" data-code="served-only-some">* Only for the connections that were served.</p>`
      : null
  }${details}`;
  return legSection(
    results,
    { id: 'totals', title: 'Totals', fold: 'connections, every percentile, and all other numbers' },
    content,
  );
}
