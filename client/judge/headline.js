// The headline of a run in two or three sentences: what happened, the most important first, the answer, and the main
// figures. Console, page and Markdown show it beside the table of servers. Its only input is summary.json.

import { isInterrupted } from '../words/endings.js';
import { servedOnlySome } from '../words/figures.js';
import { count, counted, duration, plain } from '../words/format.js';
import { joinNames, listNames, listParts } from '../words/lists.js';
import { remarkedAnswer } from '../words/search.js';
import { isMeasured } from '../measure/leg-figures.js';
import { present } from '../measure/sums.js';
import { achievedRate } from './achieved-rate.js';
import { casesOf } from './cases.js';
import { outcomeFacts, outcomeText } from './compare-runs/texts.js';
import { comparedFigure, isAtRate, pointText, rulesOf } from './comparisons.js';
import { isDisturbed } from './disturbances.js';
import { eventParts, part, requestsIn } from './events.js';
import { behindText, calledText, changeClause, changedWhat, leadsText, smallestText, valueText } from './mark-texts.js';
import { findingsOf } from './findings/index.js';
import { hasEnded, isBroken } from './findings/outcome.js';
import { rankingTable, slicesIn } from './ranking-table.js';
import { MIN_ROUNDS, MIN_SLICES } from './statistics/index.js';
import { DECIDED, isSpeedSpoiled } from './trust.js';
import { shownCase } from './value-of.js';
import { requirementText, verdictOutcome, verdictText } from './verdict.js';

/**
 * @import { Data } from '../errors.js'
 * @import { Case, Finding, Mark, RunSummary as Summary } from '../../config/types.js'
 * @import { MeasuredLeg } from '../measure/leg-figures.js'
 * @import { ComparedFigure } from './comparisons.js'
 * @import { RankingTable } from './ranking-table.js'
 * @import { Found } from './search/index.js'
 */

/**
 * A sentence of the headline. answer: to the question that the run asks; problem: a failure of a server; caution: what
 * the answer depends on. tells: codes of findings that the sentence makes superfluous.
 * @typedef {{ code: string, severity: 'answer' | Finding['severity'], data: Data, text: string, tells:
 *   string[] }} Part
 */

/**
 * How many the headline names: servers of a search, outcomes of the points of a sweep, and figures of a server. The
 * tables show all of them.
 */
const MAX = { answers: 4, points: 3, figures: 4 };
const CONNECTIONS = ' connections';
/** "Nothing happened" only if no response time is above this multiple of p99. */
const EVEN = 20;

/** @param {string[]} at points @returns {string} such as " at 10 and 100 connections" */
function whereText(at) {
  if (at.length === 0) return '';
  if (!at.every((text) => text.endsWith(CONNECTIONS))) return ` at ${listNames(at)}`;
  return ` at ${listNames(at.map((text) => text.slice(0, -CONNECTIONS.length)))}${CONNECTIONS}`;
}

/** @param {ComparedFigure} figure @returns {string} such as "transfers/s", "response p99" */
const titleOf = ({ name, title = name }) => title;

/** @param {string[]} names @returns {string} such as "a", "a or b", "One of a, b and c" */
function oneOf(names) {
  if (names.length <= 2) return names.join(' or ');
  return `One of ${listNames(names)}`;
}

/** @param {string[]} parts @returns {string} */
const clauses = (parts) => parts.filter((text) => text !== '').join('; ');

/**
 * @typedef {{ name: string, text: string }} Behind  a worse server; text: by how much it is worse
 * @typedef {{ figure: string, smallestPercent?: number, among?: string[], behind?: Behind[] }} Unknown  a figure in
 *   which no difference is known; smallestPercent: the smallest difference that would have been seen; among: the
 *   servers concerned; absent if all are
 * @typedef {{ more: boolean, unit: RankingTable['unit'], hasBudget?: boolean }} Wanted  more: whether measuring more
 *   would help; hasBudget: the run had a limit of time
 * @typedef {Wanted & { at: string[], figure: string, notKnown: string[], unknown: Unknown[] }} Compared  servers, by
 *   the figure that ranks them
 * @typedef {Compared & { best: string, leads: string, asGood: string[], worse: Behind[] }} Best
 * @typedef {Compared & { margin: number, asGood: string[] }} AsGood
 * @typedef {Compared & { ofAll: boolean }} NotKnown
 * @typedef {{ code: 'best' } & Best | { code: 'as-good' } & AsGood | { code: 'not-known' } & NotKnown} Outcome
 * @typedef {{ figure: string, ratio: NonNullable<Mark['ratio']> }} Changed  figure: its key
 * @typedef {Wanted & { label: string, of: string, at: string[], margin: number, changes: Changed[], asGood: string[],
 *   unknown: Unknown[] }} Change
 * @typedef {NonNullable<Summary['verdict']>} Verdict
 *
 * @typedef {object} Facts  the facts of a sentence, by the name of its template
 * @property {Change} change
 * @property {Best} best
 * @property {AsGood} as-good
 * @property {NotKnown} not-known
 * @property {{ rounds: number, asked: number, unit: Wanted['unit'], slices?: number, missingNs?: number }} not-ranked
 * @property {{ case: string, label?: string, connections: { done: number, of: number, verb: string },
 *   figures: string[], isSomeTold: boolean, isOfServed?: boolean }} figures
 * @property {{ isQuiet: boolean, held?: number, hasStalled?: boolean, requests?: number, isAll?: boolean,
 *   late?: number, maxNs?: number }} all-well
 * @property {{ requested: number }} all-served
 * @property {Pick<Found, 'label' | 'decided' | 'answer' | 'remark'> | { left: number }} found
 * @property {{ verdict: Verdict, failed?: Verdict['thresholds'][number] }} verdict
 * @property {ReturnType<typeof outcomeFacts> & { name: string }} baseline
 * @property {{}} incomplete
 */

/** @param {string[]} sentences without full stops @returns {string} */
const sentences = (sentences) => sentences.filter((text) => text !== '').join('. ');

/** @param {Wanted} wanted @returns {string} what would show smaller differences; empty if nothing would */
function adviceText({ more, unit, hasBudget }) {
  if (!more) return '';
  if (unit === 'round') return 'For smaller ones: more rounds';
  return `For smaller ones: ${hasBudget ? 'a longer --budget' : '--budget 3m'}`;
}

/** @param {Unknown[]} unknown @returns {Unknown[][]} figures with a known smallest difference, and figures without */
const bySmallest = (unknown) => [
  unknown.filter((figure) => smallestText(figure) !== undefined),
  unknown.filter((figure) => smallestText(figure) === undefined),
];

/** @param {Unknown[]} unknown @returns {string} such as "transfers/s varies too much"; empty without a figure */
const variesText = (unknown) =>
  unknown.length === 0
    ? ''
    : `${joinNames(unknown.map(({ figure }) => figure))} ${unknown.length === 1 ? 'varies' : 'vary'} too much`;

/**
 * @param {string} a @param {string} b @param {string} at @param {Unknown[]} unknown
 * @returns {string} that no difference was seen, and which difference would have been
 */
function noDifferenceText(a, b, at, unknown) {
  const [seen, unseen] = bySmallest(unknown);
  if (seen.length === 0) return `Whether ${a} differs from ${b}${at} is not known: ${variesText(unseen)}`;
  const parts = seen.map((figure) => `of ${smallestText(figure)} in ${figure.figure}`);
  const would = `one ${parts.join(', or ')}${parts.length > 1 ? ',' : ''} would have been`;
  return clauses([`No difference seen between ${a} and ${b}${at}`, would, variesText(unseen)]);
}

/**
 * @param {string} who  such as "the 6 servers" @param {Unknown[]} unknown figures @param {string} [at]
 * @returns {string} that the servers cannot be told apart by these figures; empty without a figure
 */
function notApartText(who, unknown, at = '') {
  if (unknown.length === 0) return '';
  const [seen, unseen] = bySmallest(unknown);
  const would = `only a difference of ${seen.map(smallestText).join(', or ')} would have been seen`;
  const why = clauses([seen.length === 0 ? '' : would, variesText(unseen)]);
  return `By ${joinNames(unknown.map(({ figure }) => figure))}${at} ${who} cannot be told apart: ${why}`;
}

/** @param {Behind[]} behind @returns {string} such as "behind: select 43 % more"; empty without a server */
const behindListText = (behind) =>
  behind.length === 0 ? '' : `behind: ${listParts(behind.map(({ name, text }) => `${name} ${text}`))}`;

/**
 * @param {Wanted & { unknown: Unknown[] }} data unknown: figures
 * @returns {string[]} sentences about the figures in which no difference is known; empty without such a figure
 */
function unknownTexts({ unknown, ...wanted }) {
  if (unknown.length === 0) return [];
  const amongAll = unknown.filter(({ among }) => among === undefined);
  const amongSome = unknown.map(({ figure, among = [], behind = [] }) =>
    among.length === 0
      ? ''
      : clauses([`By ${figure} ${listNames(among)} cannot be told apart`, behindListText(behind)]),
  );
  return [notApartText('they', amongAll), ...amongSome, amongAll.length === 0 ? '' : adviceText(wanted)];
}

/**
 * Severity and text of each sentence. @type {{ [T in keyof Facts]: [Part['severity'], (data: Facts[T]) => string] }}
 */
const TEMPLATES = {
  change: [
    'answer',
    ({ label, of, at, margin, changes, asGood, unknown, ...wanted }) => {
      const known = [
        ...changes.map(({ figure, ratio }) => changeClause(comparedFigure(figure), ratio)),
        ...(asGood.length > 0 ? [`is as good as ${of} by ${joinNames(asGood)}, within ±${plain(100 * margin)} %`] : []),
      ];
      return known.length === 0
        ? sentences([noDifferenceText(label, of, whereText(at), unknown), adviceText(wanted)])
        : sentences([`${label} ${joinNames(known)}${whereText(at)}`, ...unknownTexts({ unknown, ...wanted })]);
    },
  ],
  best: [
    'answer',
    ({ leads, at, best, asGood, worse, notKnown, ...rest }) =>
      sentences([
        clauses([
          `${oneOf([best, ...notKnown])} ${leads}${whereText(at)}: ${listParts(worse.map(({ name, text }) => `${name} ${text}`))}`,
          asGood.length > 0 ? `${listNames(asGood)} ${asGood.length === 1 ? 'is' : 'are'} as good` : '',
        ]),
        ...unknownTexts(rest),
      ]),
  ],
  'as-good': [
    'answer',
    ({ figure, at, asGood, notKnown, margin, ...rest }) =>
      sentences([
        clauses([
          `${joinNames(asGood.slice(1))} ${asGood.length === 2 ? 'is' : 'are'} as good as ${asGood[0]} by ${figure}${whereText(at)}, within ±${plain(100 * margin)} %`,
          notKnown.length > 0 ? `not known of ${listNames(notKnown)}` : '',
        ]),
        ...unknownTexts(rest),
      ]),
  ],
  'not-known': [
    'answer',
    ({ at, notKnown, ofAll, unknown, ...wanted }) =>
      sentences([
        notKnown.length === 2
          ? noDifferenceText(notKnown[0], notKnown[1], whereText(at), unknown)
          : notApartText(ofAll ? `the ${count(notKnown.length)} servers` : listNames(notKnown), unknown, whereText(at)),
        adviceText(wanted),
      ]),
  ],
  'not-ranked': [
    'caution',
    ({ rounds, asked, unit, slices = Infinity, missingNs }) =>
      slices < MIN_SLICES
        ? `Too short to rank the servers: ${missingNs === undefined ? 'give a longer duration' : `it needed ${duration(missingNs)} more`}`
        : rounds >= MIN_ROUNDS
          ? 'The servers are not ranked: they have no figure in common'
          : unit === 'block'
            ? 'Too short to rank the servers: give a longer duration'
            : `${['', 'Measured once', 'Measured twice'][rounds] ?? 'Too few complete rounds'}, so the servers are not ranked${asked > rounds ? '' : ': rank them with --rounds 5'}`,
  ],
  figures: [
    'answer',
    ({ label, connections: { done, of, verb }, figures, isSomeTold, isOfServed }) => {
      const held = `${label ?? 'The server'} ${verb} ${done === of ? 'all ' : `${count(done)} of `}${counted(of, 'connection')}`;
      if (figures.length === 0) return held;
      const ofThem = isOfServed ? `, of the ${count(done)} that ${done === 1 ? 'was' : 'were'} served` : '';
      const start = isSomeTold ? (label === undefined ? '' : `${label}: `) : `${held}: `;
      return `${start}${joinNames(figures)}${ofThem}`;
    },
  ],
  'all-well': [
    'answer',
    ({ isQuiet, hasStalled, requests = 0, held, maxNs, isAll, late = 0 }) => {
      if (held !== undefined)
        return `Nothing happened: all ${counted(held, 'connection')} were held, and none was lost`;
      const slowest = maxNs === undefined ? '' : `, none above ${duration(maxNs, 2)}`;
      if (!hasStalled)
        return `${isQuiet ? 'Nothing happened: ' : ''}${counted(requests, 'request')}, none failed${slowest}`;
      const waited = late > 0 ? `, ${count(late)} of them after waiting for a free connection` : '';
      return `${isAll ? 'All ' : ''}${counted(requests, 'request')} were answered${waited}`;
    },
  ],
  'all-served': ['answer', ({ requested }) => `Each server served all ${counted(requested, 'connection')}`],
  found: [
    'answer',
    (answer) =>
      'left' in answer ? `${counted(answer.left, 'more answer')} below` : `${answer.label}: ${remarkedAnswer(answer)}`,
  ],
  verdict: [
    'answer',
    ({ verdict, failed }) => {
      const [outcome, counts] = verdictText(verdict).split(/: (.*)/);
      const what = failed ? `${failed.label}: ${failed.text} (${requirementText(failed)})` : counts;
      const isOne = verdict.thresholds.length === 1;
      return `${outcome[0].toUpperCase()}${outcome.slice(1)}: ${failed && !isOne ? `${what}; ${counts}` : what}`;
    },
  ],
  baseline: ['answer', ({ name, ...data }) => `Compared with ${name}: ${outcomeText(data)}`],
  incomplete: ['caution', () => 'Nothing was measured'],
};

/**
 * @template {keyof Facts} T
 * @param {T} template @param {Facts[T]} data @param {Partial<Pick<Part, 'code' | 'severity'>>} [over]
 * @returns {Part}
 */
function partOf(template, data, over = {}) {
  const [severity, write] = TEMPLATES[template];
  return { ...part(template, severity, data, write(data)), ...over };
}

/** @typedef {RankingTable['points'][number]} Point */

/** @param {ComparedFigure} figure @returns {boolean} */
const isCost = ({ compared }) => compared.called === 'cost';

/**
 * @param {RankingTable} table @param {Point} point @param {ComparedFigure} figure
 * @returns {{ id: string, label: string, mark: Mark }[]} the rows that have a mark by the figure
 */
const markedBy = ({ figures }, { rows }, figure) =>
  rows.flatMap(({ case: row, label, cells }) => {
    const { mark, case: id = row } = cells[figures.indexOf(figure)];
    return mark === undefined ? [] : [{ id, label, mark }];
  });

/**
 * @param {{ smallestPercent?: number }[]} marks
 * @returns {{ smallestPercent?: number }} the smallest difference that every mark would have shown
 */
function leastSeen(marks) {
  const known = marks.filter((mark) => smallestText(mark) !== undefined);
  const percents = known.flatMap(({ smallestPercent }) => smallestPercent ?? []);
  return percents.length === 0 ? {} : { smallestPercent: Math.max(...percents) };
}

/** @param {Mark[]} marks @returns {Mark[]} */
const unknownOf = (marks) => marks.filter(({ code }) => code === 'not-known');

/** @param {Mark} mark @returns {boolean} whether measuring more could decide it */
const wantsMore = ({ why }) => why === 'rounds-differ' || why === 'chance';

/** @param {RankingTable} table @param {boolean} more @returns {Wanted} */
const wantedOf = ({ unit, level }, more) => ({ more, unit, ...(level < rulesOf({}).level ? { hasBudget: true } : {}) });

/**
 * @param {RankingTable} table
 * @param {Point} point
 * @param {ComparedFigure} leadBy
 * @returns {Wanted & { unknown: Unknown[] }} the figures above `leadBy` in which no difference is known
 */
function unknownBefore(table, point, leadBy) {
  const figures = table.figures.slice(0, table.figures.indexOf(leadBy)).flatMap((figure) => {
    const best = point.best[figure.compared.key];
    const marked = markedBy(table, point, figure);
    const marks = marked.flatMap(({ id, mark }) => (id === best ? [] : mark));
    const unknown = unknownOf(marks);
    if (best === undefined || unknown.length === 0) return [];
    const open = marked.filter(({ id, mark }) => id === best || mark.code === 'not-known');
    const servers =
      unknown.length === marks.length ? {} : { among: namesOf(open), behind: behindIn(marked, best, figure) };
    return [{ marks, unknown: { figure: calledText(figure), ...leastSeen(unknown), ...servers } }];
  });
  const more = figures.some(({ marks }) => marks.some(wantsMore));
  return { unknown: figures.map(({ unknown }) => unknown), ...wantedOf(table, more) };
}

/**
 * @param {ReturnType<typeof markedBy>} marked @param {string} best id @param {ComparedFigure} figure
 * @returns {Behind[]} the nearest first
 */
const behindIn = (marked, best, figure) =>
  marked
    .filter(({ id, mark }) => id !== best && mark.code === 'worse')
    .sort((a, b) => distance(a.mark.ratio) - distance(b.mark.ratio))
    .map(({ label, mark: { ratio } }) => ({ name: label, text: behindText(figure, ratio) }));

/**
 * @param {RankingTable} table @param {Point} point @param {ComparedFigure} [figure]
 * @returns {boolean} whether the mark of every server is known
 */
function isDecided(table, point, figure) {
  const marks = figure === undefined ? [] : markedBy(table, point, figure).map(({ mark }) => mark.code);
  return marks.includes('best') && !marks.includes('not-known');
}

/**
 * @param {RankingTable} table @param {Point} point @param {ComparedFigure} [figure]
 * @returns {boolean} whether the mark of at least one server is known
 */
const isPartlyDecided = (table, point, figure) =>
  figure !== undefined && markedBy(table, point, figure).some(({ mark }) => DECIDED.includes(mark.code));

/**
 * @typedef {{ isBusy: boolean, isSpoiled: boolean, isServedTold: boolean }} Known  isBusy: other programs used the
 *   machine; isSpoiled: so much that no speed can be trusted; isServedTold: the headline says how many connections were
 *   served
 *
 * The figure by which the headline says which server is best. CPU time does not depend on who got the cores, so it
 * leads if speed does not tell all servers apart, or if other programs used the machine.
 * @param {RankingTable} table @param {Point} point @param {Known} known
 * @returns {ComparedFigure | undefined}
 */
function headlineFigure(table, point, { isBusy, isSpoiled, isServedTold }) {
  const speedFigures = table.figures.filter(
    ({ group, compared: { key } }) => group !== 'connections' && point.best[key],
  );
  const isOfServed = point.leadBy?.group === 'connections';
  const leadBy =
    isServedTold && isOfServed
      ? (speedFigures.find((figure) => isDecided(table, point, figure)) ?? speedFigures[0])
      : point.leadBy;
  const cost = table.figures.find(isCost);
  if (leadBy?.unit !== 'rate') return leadBy;
  const isCostBetter = isDecided(table, point, cost) && (isBusy || !isDecided(table, point, leadBy));
  return isCostBetter || (isSpoiled && isPartlyDecided(table, point, cost)) ? cost : leadBy;
}

/**
 * @param {RankingTable} table
 * @param {Point} point
 * @param {Known} known
 * @returns {Outcome | null} the ranking by the figure of the headline; null if no figure ranks
 */
function outcomeOf(table, point, known) {
  const { margin } = table;
  const { axes, best, rows } = point;
  const leadBy = headlineFigure(table, point, known);
  if (leadBy === undefined) return null;
  const marked = markedBy(table, point, leadBy);
  const withMark = (/** @type {string} */ code) =>
    marked.filter(({ id, mark }) => mark.code === code && id !== best[leadBy.compared.key]);
  const leader = marked.find(({ id }) => id === best[leadBy.compared.key]);
  if (leader === undefined) return null;
  const unknown = withMark('not-known').map(({ label }) => label);
  const at = pointText(axes);
  const names = { at: at === undefined ? [] : [at], figure: calledText(leadBy) };
  const alsoGood = withMark('as-good').map(({ label }) => label);
  const rest = { notKnown: unknown, ...unknownBefore(table, point, leadBy) };
  if (leader.mark.code === 'best')
    return {
      ...{ code: 'best', ...names, best: leader.label, leads: leadsText(leadBy), asGood: alsoGood, ...rest },
      worse: behindIn(marked, leader.id, leadBy),
    };
  if (leader.mark.code === 'as-good')
    return { code: 'as-good', ...names, margin, asGood: [leader.label, ...alsoGood], ...rest };
  // for two servers, show CPU time too: its difference is often known more exactly
  const figures =
    unknown.length === 1
      ? [leadBy, ...table.figures.filter((figure) => figure !== leadBy && isCost(figure))]
      : [leadBy];
  const unknownFigures = figures.flatMap((figure) => {
    const marks = markedBy(table, point, figure).flatMap(({ id, mark }) =>
      id === best[figure.compared.key] ? [] : mark,
    );
    return marks.some(({ code }) => code === 'not-known') ? [{ figure, marks }] : [];
  });
  return {
    ...{ code: 'not-known', ...names, notKnown: [leader.label, ...unknown], ofAll: unknown.length + 1 === rows.length },
    unknown: unknownFigures.map(({ figure, marks }) => ({
      figure: calledText(figure),
      ...leastSeen(unknownOf(marks)),
    })),
    ...wantedOf(
      table,
      unknownFigures.some(({ marks }) => marks.some(wantsMore)),
    ),
  };
}

/**
 * @param {NonNullable<Mark['ratio']>} ratio
 * @returns {NonNullable<Mark['ratio']>} of B to A, for a ratio of A to B
 */
const inverse = ({ median, low, high, ...rest }) => ({
  ...rest,
  ...{ median: 1 / Number(median), low: 1 / Number(high), high: 1 / Number(low) },
});

/**
 * @param {RankingTable} table @param {Point} point @param {string[]} versions labels of the base and the changed
 *   version
 * @returns {{ code: 'change' } & Change | null} the effect of the change, with the figure that ranks first; null if the
 *   point does not have exactly these two
 */
function changeOf(table, point, [of, label]) {
  const { leadBy, best, axes, rows } = point;
  if (leadBy === undefined || rows.length !== 2 || !rows.every((row) => [of, label].includes(row.label))) return null;
  const order = [leadBy, ...table.figures.filter((figure) => figure !== leadBy)];
  const comparisons = order.flatMap((figure) => {
    const rows = markedBy(table, point, figure);
    const marked = rows.find(({ id }) => id !== best[figure.compared.key]);
    return best[figure.compared.key] === undefined || marked === undefined ? [] : [{ figure, ...marked }];
  });
  const changed = comparisons.flatMap(({ figure, label: worseLabel, mark: { code, ratio } }) =>
    code === 'worse' && ratio
      ? [{ figure: figure.compared.key, ratio: worseLabel === label ? ratio : inverse(ratio) }]
      : [],
  );
  const first = [leadBy, table.figures[0]];
  const marks = comparisons.filter(({ figure, mark }) => mark.code === 'not-known' && first.includes(figure));
  const at = pointText(axes);
  return {
    ...{ code: 'change', label, of, at: at === undefined ? [] : [at], margin: table.margin },
    changes: changed,
    asGood: comparisons.filter(({ mark }) => mark.code === 'as-good').map(({ figure }) => changedWhat(figure)),
    unknown: marks.map(({ figure, mark }) => ({ figure: changedWhat(figure), ...leastSeen([mark]) })),
    ...wantedOf(
      table,
      marks.some(({ mark }) => wantsMore(mark)),
    ),
  };
}

/** @param {Mark['ratio']} ratio @returns {number} its distance from 1, on a logarithmic scale */
const distance = (ratio) => Math.abs(Math.log(ratio?.median ?? 1));

/**
 * @param {Partial<Best> & { code: string }} outcome
 * @returns {string} equal for points that one sentence can describe
 */
const keyOf = ({ code, figure, best, asGood = [], worse = [], notKnown = [] }) =>
  JSON.stringify([code, figure, best, [...asGood].sort(), worse.map(({ name }) => name).sort(), [...notKnown].sort()]);

/** @param {{ label: string }[]} marked @returns {string[]} */
const namesOf = (marked) => marked.map(({ label }) => label);

/**
 * @param {RankingTable} table
 * @param {string[]} versions of one program @param {Known} known
 * @returns {Part[]} one for all points of a sweep that have the same outcome
 */
function rankedParts(table, versions, known) {
  const changes = versions.length === 2 ? table.points.flatMap((point) => changeOf(table, point, versions) ?? []) : [];
  if (changes.length > 0) return changes.slice(0, MAX.points).map(({ code, ...data }) => partOf(code, data));
  const outcomes = table.points.flatMap((point) => outcomeOf(table, point, known) ?? []);
  const keys = [...new Set(outcomes.map(keyOf))];
  return keys.slice(0, MAX.points).map((key) => {
    const alike = outcomes.filter((outcome) => keyOf(outcome) === key);
    const { code, ...data } = alike[0];
    if (alike.length === 1) return partOf(code, data);
    // the size of the difference varies from point to point; the table has it
    const figure = table.figures.find((column) => calledText(column) === data.figure);
    const text = figure === undefined ? '' : behindText(figure);
    const worse = 'worse' in data ? data.worse.map(({ name }) => ({ name, text })) : undefined;
    const unknown = data.unknown.map(({ figure }) => ({
      figure,
      ...leastSeen(alike.flatMap((outcome) => outcome.unknown.filter((unknown) => unknown.figure === figure))),
    }));
    return partOf(code, { ...data, unknown, at: alike.flatMap(({ at }) => at), ...(worse ? { worse } : {}) });
  });
}

/**
 * @typedef {object} Told  what the headline says before the figures
 * @property {boolean} isOnly  the run has one server
 * @property {boolean} isServedTold  how many connections were served
 * @property {boolean} isFailedTold  whether requests failed
 * @property {boolean} isEventTold  any event
 * @property {string[]} withRate  ids of cases whose achieved rate was given
 *
 * @param {RankingTable} table
 * @param {Summary} summary
 * @param {Case} server
 * @param {Told} told
 * @returns {Part[]} figures of the case, and the connections of the leg that served the fewest
 */
function figureParts(table, { legs }, server, { isOnly, isServedTold, isFailedTold, isEventTold, withRate }) {
  const shown = shownCase(
    legs.filter(({ id }) => server.legs.includes(id)),
    server,
  );
  const leg = /** @type {MeasuredLeg} */ (shown.worst);
  const achieved = withRate.includes(server.id) ? undefined : achievedRate(shown);
  const { account, connections, heldOnly } = leg;
  const done = account ? (heldOnly ? account.idle : account.served) : connections.peakOpen;
  const verb = account && !heldOnly ? 'served' : 'held';
  const row = table.points.flatMap(({ rows }) => rows).find(({ case: id }) => id === server.id);
  const known = table.figures.flatMap((figure, i) => {
    const cell = row?.cells[i] ?? {};
    return figure.group === 'connections' || (cell.median ?? cell.moreThan) === undefined ? [] : [{ figure, cell }];
  });
  // the first percentile that is above all measured times
  const beyond = known.find(({ cell }) => cell.moreThan !== undefined);
  const compared = known
    .filter((column) => column.cell.moreThan === undefined || column === beyond)
    .map(({ figure, cell }) => {
      const value = valueText(figure, cell);
      return figure.unit === 'rate' ? `${value} ${titleOf(figure)}` : `${figure.name} ${value}`;
    });
  const figures = [...(achieved ? [`${achieved.text} requests/s`] : []), ...compared].slice(0, MAX.figures);
  const of = account?.requested ?? connections.requested;
  const isOfServed = servedOnlySome(leg) !== undefined && (isServedTold || !isFailedTold);
  const isSomeTold = isServedTold || isFailedTold || (isEventTold && done === of);
  if (figures.length === 0 && isSomeTold) return [];
  const label = isOnly ? {} : { label: server.label };
  const data = { case: server.id, ...label, connections: { done, of, verb }, figures, isSomeTold };
  return [partOf('figures', { ...data, ...(isOfServed ? { isOfServed } : {}) })];
}

/**
 * @param {Summary} summary @param {Case[]} cases @param {Part[]} events
 * @returns {Part[]} at most one, for a run of one server: all requests were answered, or all connections were held
 */
function wellParts(summary, cases, events) {
  const isBad = (/** @type {string[]} */ ...codes) => events.some(({ code }) => codes.includes(code));
  const ran = summary.legs.every((leg) => isMeasured(leg) && leg.complete && !hasEnded(leg));
  if (cases.length !== 1 || summary.search || summary.baseline || !ran || summary.legs.length === 0) return [];
  const { legs } = summary;
  const hasStalled = isBad('stalls', 'stalls-waiting');
  const hasFailed = summary.verdict !== undefined && verdictOutcome(summary.verdict) !== 'passed';
  const isQuiet =
    events.length === 0 &&
    !hasFailed &&
    !findingsOf(summary).some(({ code, severity }) => severity === 'problem' || code === 'stalls-waiting');
  const sum = (/** @type {number[]} */ values) => values.reduce((total, n) => total + n, 0);
  if (legs.every(({ heldOnly }) => heldOnly)) {
    const [{ account }] = legs;
    const isHeld = account !== undefined && account.idle === account.requested;
    return isQuiet && isHeld ? [partOf('all-well', { isQuiet, held: account.requested })] : [];
  }
  const figures = requestsIn(legs).map((leg) => leg.figures);
  const failed = sum(figures.map((span) => span.failed + span.unfinished));
  const requests = sum(figures.map(({ transfers }) => transfers));
  if (failed > 0 || requests === 0 || isBad('requests-failed', 'requests-unsent', 'not-served', 'breaks')) return [];
  if (events.length > 0 && !hasStalled) return [];
  const slowest = figures.flatMap(({ responseTimeNs }) => responseTimeNs?.max ?? []);
  const isEven = figures.every(({ responseTimeNs: times }) => (times?.max ?? 0) <= EVEN * (times?.p99 ?? Infinity));
  return [
    partOf('all-well', {
      ...{
        isQuiet: isQuiet && isEven,
        hasStalled,
        requests,
        isAll: sum(figures.map(({ unsent = 0 }) => unsent)) === 0,
      },
      late: sum(figures.map(({ late = 0 }) => late)),
      ...(slowest.length === 0 ? {} : { maxNs: roundedUp(Math.max(...slowest)) }),
    }),
  ];
}

/** @param {number} ns @returns {number} rounded up to two significant digits */
function roundedUp(ns) {
  const unit = 10 ** (Math.floor(Math.log10(Math.max(1, ns))) - 1);
  return Math.ceil(ns / unit) * unit;
}

/**
 * @param {Case[]} cases that were measured
 * @param {RankingTable} table
 * @param {Summary} summary
 * @returns {Part[]} at most one: why the servers are not ranked
 */
function unrankedParts(cases, { rounds: asked, points, unit }, { legs, endedBy }) {
  const ids = new Set(cases.map(({ id }) => id));
  if (!points.some(({ rows }) => rows.filter((row) => ids.has(row.case)).length > 1)) return [];
  const values = cases.flatMap(({ figures }) => Object.values(figures).map((figure) => figure.values));
  const rounds = Math.max(...values.map((caseValues) => caseValues.filter((value) => value !== null).length));
  const sliced = cases
    .map((server) => legs.filter(({ id }) => server.legs.includes(id)))
    .map((caseLegs) => ({ caseLegs, slices: slicesIn(caseLegs) }));
  const [{ caseLegs, slices }] = sliced.sort((a, b) => a.slices - b.slices);
  const missingNs = isInterrupted(endedBy) ? missingNsOf(caseLegs, MIN_SLICES - slices) : undefined;
  const turns = Number.isFinite(slices) ? { slices, ...present('missingNs', missingNs) } : {};
  return [partOf('not-ranked', { rounds, asked, unit, ...turns })];
}

/**
 * @param {Summary['legs']} legs of a server that take turns @param {number} slices that they lack together
 * @returns {number | undefined} ns that the missing slices would have taken: in each period every leg has one slice
 */
function missingNsOf(legs, slices) {
  const [{ slices: turns }] = legs;
  return turns && slices > 0 ? Math.ceil(slices / legs.length) * turns.of * turns.lengthNs : undefined;
}

/**
 * @param {Summary} summary @param {RankingTable} table @param {Case[]} cases
 * @param {Told} told
 * @returns {Part[]} the figures, or the ranking, of servers that did not end during the run
 */
function measuredParts(summary, table, cases, told) {
  const ran = summary.legs.filter((leg) => isMeasured(leg) && leg.endedBy !== 'no-transfers' && !hasEnded(leg));
  const measured = cases.filter((server) => !isAtRate(server) && ran.some(({ id }) => server.legs.includes(id)));
  const withFigures = measured.filter(({ figures }) => Object.keys(figures).length > 0);
  const figuresOfEach = (/** @type {Case[]} */ servers) =>
    servers.slice(0, MAX.answers).flatMap((server) => figureParts(table, summary, server, told));
  if (withFigures.length <= 1) return figuresOfEach(withFigures.length === 1 ? withFigures : measured);
  const ranked = rankedParts(table, summary.config.versions ?? [], {
    isBusy: summary.legs.some(isDisturbed),
    isSpoiled: isSpeedSpoiled(summary),
    isServedTold: told.isServedTold,
  });
  const unbroken = withFigures.filter((server) =>
    summary.legs.some((leg) => server.legs.includes(leg.id) && !isBroken(leg)),
  );
  const ranking = ranked.length > 0 ? ranked : unrankedParts(unbroken, table, summary);
  if (ranking.length > 0) return ranking;
  const shown = unbroken.length > 0 ? unbroken : withFigures;
  // with several servers, the figures are in the table
  return shown.length > 1 && told.isEventTold ? [] : figuresOfEach(shown);
}

/**
 * @param {Summary} summary @param {Case[]} cases
 * @returns {Part[]} at most one: each of several servers under a ramp served all connections
 */
function servedParts({ legs, search }, cases) {
  const [{ connections } = {}] = legs;
  const isServed = (/** @type {Summary['legs'][number]} */ { account, ramp, complete }) =>
    complete && (ramp?.steps.length ?? 0) > 1 && account !== undefined && account.served === account.requested;
  const isAll = cases.length > 1 && !search && connections !== undefined && legs.every(isServed);
  return isAll ? [partOf('all-served', { requested: connections.requested })] : [];
}

/** @param {Found[]} answers @returns {Part[]} */
function searchParts(answers) {
  const named = answers
    .slice(0, MAX.answers)
    .map(({ label, decided, answer, remark }) => ({ label, decided, answer, ...present('remark', remark) }));
  const left = answers.length - named.length;
  return [...named, ...(left > 0 ? [{ left }] : [])].map((data) => partOf('found', data, { code: 'search' }));
}

/** @param {Summary} summary @returns {Part[]} at most one */
function verdictParts({ verdict }) {
  if (!verdict) return [];
  const failed =
    verdict.thresholds.find((row) => verdictOutcome(row) === 'failed') ?? verdict.thresholds.find((row) => !row.passed);
  return [partOf('verdict', { verdict, failed }, { code: verdictOutcome(verdict) })];
}

/** @param {Summary} summary @returns {Part[]} at most one */
function baselineParts({ baseline }) {
  if (!baseline) return [];
  const data = { ...outcomeFacts(baseline), name: baseline.baseline.name };
  return [partOf('baseline', data, { code: `baseline-${baseline.outcome}` })];
}

/**
 * @param {Summary} summary of a run
 * @returns {Part[]} events, then the answer, then figures; never empty
 */
export function answerOf(summary) {
  const { legs, search } = summary;
  const cases = summary.cases ?? casesOf(legs);
  const verdict = verdictParts(summary);
  const hasPassed = summary.verdict !== undefined && verdictOutcome(summary.verdict) === 'passed';
  const events = eventParts(summary, cases);
  const answers = [...(search ? searchParts(search.answers) : []), ...baselineParts(summary)];
  const well = wellParts(summary, cases, events);
  const has = (/** @type {string[]} */ ...codes) => events.some(({ code }) => codes.includes(code));
  const told = {
    isOnly: cases.length === 1,
    isServedTold: has('not-served', 'breaks'),
    isEventTold: events.length > 0,
    isFailedTold: well.length > 0 || has('requests-failed', 'requests-unsent'),
    withRate: events.flatMap(({ code, data }) => (code === 'requests-unsent' ? (data.case ?? []) : [])),
  };
  const answer = [
    ...(hasPassed ? [] : verdict),
    ...events,
    ...(hasPassed ? verdict : []),
    ...answers,
    ...well,
    ...servedParts(summary, cases),
    ...(answers.length > 0 ? [] : measuredParts(summary, rankingTable(summary), cases, told)),
  ];
  return answer.length > 0 ? answer : [partOf('incomplete', {}, { code: 'nothing-measured' })];
}

/** @param {Summary} summary of a run @returns {string} its headline as one paragraph */
export const answerText = (summary) =>
  answerOf(summary)
    .map(({ text }) => text)
    .join(' ');
