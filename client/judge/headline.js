// The headline of a run: what happened, the most important first, what it answers, and then the figures, in two or
// three sentences. Pure; console, page and Markdown show it beside the table of servers. It reads nothing but
// summary.json.

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
 * answer: to the question that the run asks; problem: a server failed at something; caution: what the answer depends
 * on. tells: codes of findings that need not be shown beside it.
 * @typedef {{ code: string, severity: 'answer' | Finding['severity'], data: Data, text: string, tells:
 *   string[] }} Part
 */

/**
 * How many the headline names of: servers of a search, outcomes of the points of a sweep, and figures of a server. The
 * tables show all of them.
 */
const MOST = { answers: 4, points: 3, figures: 4 };
const CONNECTIONS = ' connections';
/** A response time above this multiple of p99 is more than nothing. */
const EVEN = 20;

/** @param {string[]} at points @returns {string} such as " at 10 and 100 connections" */
function where(at) {
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
 * @typedef {{ name: string, text: string }} Behind  a worse server, and by how much
 * @typedef {{ figure: string, smallestPercent?: number, among?: string[], behind?: Behind[] }} Unknown
 *   smallestPercent: the least that could have been seen; among: servers of which it is not known; absent: all
 * @typedef {{ more: boolean, unit: RankingTable['unit'], hasBudget?: boolean }} Wanted  more: that would tell;
 *   hasBudget: the run had a limit of time
 * @typedef {Wanted & { at: string[], figure: string, notKnown: string[], unknown: Unknown[] }} Compared  by the figure
 *   that ranks
 * @typedef {Compared & { best: string, leads: string, asGood: string[], worse: Behind[] }} Best
 * @typedef {Compared & { margin: number, asGood: string[] }} AsGood
 * @typedef {Compared & { ofAll: boolean }} NotKnown
 * @typedef {{ code: 'best' } & Best | { code: 'as-good' } & AsGood | { code: 'not-known' } & NotKnown} Outcome
 * @typedef {{ figure: string, ratio: NonNullable<Mark['ratio']> }} Changed  figure: its key
 * @typedef {Wanted & { label: string, of: string, at: string[], margin: number, changes: Changed[], asGood: string[],
 *   unknown: Unknown[] }} Change
 * @typedef {NonNullable<Summary['verdict']>} Verdict
 *
 * @typedef {object} Facts  that a sentence is made of, by its template
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

/** @param {Wanted} wanted @returns {string} what would tell smaller differences; empty where nothing would */
function whatTells({ more, unit, hasBudget }) {
  if (!more) return '';
  if (unit === 'round') return 'For smaller ones: more rounds';
  return `For smaller ones: ${hasBudget ? 'a longer --budget' : '--budget 3m'}`;
}

/** @param {Unknown[]} unknown @returns {Unknown[][]} those with a smallest difference, and those without */
const bySmallest = (unknown) => [
  unknown.filter((one) => smallestText(one) !== undefined),
  unknown.filter((one) => smallestText(one) === undefined),
];

/** @param {Unknown[]} unknown @returns {string} such as "transfers/s varies too much"; empty without any */
const variesText = (unknown) =>
  unknown.length === 0
    ? ''
    : `${joinNames(unknown.map(({ figure }) => figure))} ${unknown.length === 1 ? 'varies' : 'vary'} too much`;

/**
 * @param {string} one @param {string} other @param {string} at @param {Unknown[]} unknown
 * @returns {string} that no difference was seen, and which would have been
 */
function noDifferenceText(one, other, at, unknown) {
  const [seen, others] = bySmallest(unknown);
  if (seen.length === 0) return `Whether ${one} differs from ${other}${at} is not known: ${variesText(others)}`;
  const parts = seen.map((one) => `of ${smallestText(one)} in ${one.figure}`);
  const would = `one ${parts.join(', or ')}${parts.length > 1 ? ',' : ''} would have been`;
  return clauses([`No difference seen between ${one} and ${other}${at}`, would, variesText(others)]);
}

/**
 * @param {string} who  such as "the 6 servers" @param {Unknown[]} unknown figures @param {string} [at]
 * @returns {string} that they cannot be told apart by those; empty without any
 */
function notApartText(who, unknown, at = '') {
  if (unknown.length === 0) return '';
  const [seen, others] = bySmallest(unknown);
  const would = `only a difference of ${seen.map(smallestText).join(', or ')} would have been seen`;
  const why = clauses([seen.length === 0 ? '' : would, variesText(others)]);
  return `By ${joinNames(unknown.map(({ figure }) => figure))}${at} ${who} cannot be told apart: ${why}`;
}

/** @param {Behind[]} behind @returns {string} such as "behind: select 43 % more"; empty without any */
const behindAll = (behind) =>
  behind.length === 0 ? '' : `behind: ${listParts(behind.map(({ name, text }) => `${name} ${text}`))}`;

/**
 * @param {Wanted & { unknown: Unknown[] }} data unknown: figures
 * @returns {string[]} sentences; none without such a figure
 */
function unknownBy({ unknown, ...wanted }) {
  if (unknown.length === 0) return [];
  const ofAll = unknown.filter(({ among }) => among === undefined);
  const ofSome = unknown.map(({ figure, among = [], behind = [] }) =>
    among.length === 0 ? '' : clauses([`By ${figure} ${listNames(among)} cannot be told apart`, behindAll(behind)]),
  );
  return [notApartText('they', ofAll), ...ofSome, ofAll.length === 0 ? '' : whatTells(wanted)];
}

/** Severity and text. @type {{ [T in keyof Facts]: [Part['severity'], (data: Facts[T]) => string] }} */
const TEMPLATES = {
  change: [
    'answer',
    ({ label, of, at, margin, changes, asGood, unknown, ...wanted }) => {
      const known = [
        ...changes.map(({ figure, ratio }) => changeClause(comparedFigure(figure), ratio)),
        ...(asGood.length > 0 ? [`is as good as ${of} by ${joinNames(asGood)}, within ±${plain(100 * margin)} %`] : []),
      ];
      return known.length === 0
        ? sentences([noDifferenceText(label, of, where(at), unknown), whatTells(wanted)])
        : sentences([`${label} ${joinNames(known)}${where(at)}`, ...unknownBy({ unknown, ...wanted })]);
    },
  ],
  best: [
    'answer',
    ({ leads, at, best, asGood, worse, notKnown, ...rest }) =>
      sentences([
        clauses([
          `${oneOf([best, ...notKnown])} ${leads}${where(at)}: ${listParts(worse.map(({ name, text }) => `${name} ${text}`))}`,
          asGood.length > 0 ? `${listNames(asGood)} ${asGood.length === 1 ? 'is' : 'are'} as good` : '',
        ]),
        ...unknownBy(rest),
      ]),
  ],
  'as-good': [
    'answer',
    ({ figure, at, asGood, notKnown, margin, ...rest }) =>
      sentences([
        clauses([
          `${joinNames(asGood.slice(1))} ${asGood.length === 2 ? 'is' : 'are'} as good as ${asGood[0]} by ${figure}${where(at)}, within ±${plain(100 * margin)} %`,
          notKnown.length > 0 ? `not known of ${listNames(notKnown)}` : '',
        ]),
        ...unknownBy(rest),
      ]),
  ],
  'not-known': [
    'answer',
    ({ at, notKnown, ofAll, unknown, ...wanted }) =>
      sentences([
        notKnown.length === 2
          ? noDifferenceText(notKnown[0], notKnown[1], where(at), unknown)
          : notApartText(ofAll ? `the ${count(notKnown.length)} servers` : listNames(notKnown), unknown, where(at)),
        whatTells(wanted),
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
    (found) =>
      'left' in found ? `${counted(found.left, 'more answer')} below` : `${found.label}: ${remarkedAnswer(found)}`,
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
 * @returns {{ id: string, label: string, mark: Mark }[]} its rows that have a mark by that
 *   figure
 */
const markedBy = ({ figures }, { rows }, figure) =>
  rows.flatMap(({ case: row, label, cells }) => {
    const { mark, case: id = row } = cells[figures.indexOf(figure)];
    return mark === undefined ? [] : [{ id, label, mark }];
  });

/**
 * @param {{ smallestPercent?: number }[]} marks
 * @returns {{ smallestPercent?: number }} the greatest difference that could not have been seen by one of them
 */
function leastSeen(marks) {
  const known = marks.filter((mark) => smallestText(mark) !== undefined);
  const percents = known.flatMap(({ smallestPercent }) => smallestPercent ?? []);
  return percents.length === 0 ? {} : { smallestPercent: Math.max(...percents) };
}

/** @param {Mark[]} marks @returns {Mark[]} */
const unknownOf = (marks) => marks.filter(({ code }) => code === 'not-known');

/** @param {Mark} mark @returns {boolean} */
const wantsMore = ({ why }) => why === 'rounds-differ' || why === 'chance';

/** @param {RankingTable} table @param {boolean} more @returns {Wanted} */
const wantedOf = ({ unit, level }, more) => ({ more, unit, ...(level < rulesOf({}).level ? { hasBudget: true } : {}) });

/**
 * @param {RankingTable} table
 * @param {Point} point
 * @param {ComparedFigure} leadBy
 * @returns {Wanted & { unknown: Unknown[] }} the more important figures in which no difference is known
 */
function unknownBefore(table, point, leadBy) {
  const found = table.figures.slice(0, table.figures.indexOf(leadBy)).flatMap((figure) => {
    const best = point.best[figure.compared.key];
    const marked = markedBy(table, point, figure);
    const marks = marked.flatMap(({ id, mark }) => (id === best ? [] : mark));
    const unknown = unknownOf(marks);
    if (best === undefined || unknown.length === 0) return [];
    const open = marked.filter(({ id, mark }) => id === best || mark.code === 'not-known');
    const some =
      unknown.length === marks.length ? {} : { among: namesOf(open), behind: behindIn(marked, best, figure) };
    return [{ marks, one: { figure: calledText(figure), ...leastSeen(unknown), ...some } }];
  });
  const more = found.some(({ marks }) => marks.some(wantsMore));
  return { unknown: found.map(({ one }) => one), ...wantedOf(table, more) };
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
 * @returns {boolean} whether it is known of every server how it compares with the best
 */
function isDecided(table, point, figure) {
  const marks = figure === undefined ? [] : markedBy(table, point, figure).map(({ mark }) => mark.code);
  return marks.includes('best') && !marks.includes('not-known');
}

/**
 * @param {RankingTable} table @param {Point} point @param {ComparedFigure} [figure]
 * @returns {boolean} whether it is known of some server how it compares with the best
 */
const isPartlyDecided = (table, point, figure) =>
  figure !== undefined && markedBy(table, point, figure).some(({ mark }) => DECIDED.includes(mark.code));

/**
 * @typedef {{ isBusy: boolean, isSpoiled: boolean, isServedTold: boolean }} Known  isBusy: other programs used the
 *   machine; isSpoiled: so much that no speed is to be trusted; isServedTold: it is said how many connections were
 *   served
 *
 * CPU time does not depend on who got the cores: it leads where speed does not tell all servers apart, or other
 * programs used the machine meanwhile.
 * @param {RankingTable} table @param {Point} point @param {Known} known
 * @returns {ComparedFigure | undefined} the figure by which it is told who is best
 */
function toldBy(table, point, { isBusy, isSpoiled, isServedTold }) {
  const others = table.figures.filter(({ group, compared: { key } }) => group !== 'connections' && point.best[key]);
  const isOfServed = point.leadBy?.group === 'connections';
  const leadBy =
    isServedTold && isOfServed ? (others.find((one) => isDecided(table, point, one)) ?? others[0]) : point.leadBy;
  const cost = table.figures.find(isCost);
  if (leadBy?.unit !== 'rate') return leadBy;
  const isCostBetter = isDecided(table, point, cost) && (isBusy || !isDecided(table, point, leadBy));
  return isCostBetter || (isSpoiled && isPartlyDecided(table, point, cost)) ? cost : leadBy;
}

/**
 * @param {RankingTable} table
 * @param {Point} point
 * @param {Known} known
 * @returns {Outcome | null} what it says by the figure that ranks; null where none does
 */
function outcomeOf(table, point, known) {
  const { margin } = table;
  const { axes, best, rows } = point;
  const leadBy = toldBy(table, point, known);
  if (leadBy === undefined) return null;
  const marked = markedBy(table, point, leadBy);
  const of = (/** @type {string} */ code) =>
    marked.filter(({ id, mark }) => mark.code === code && id !== best[leadBy.compared.key]);
  const leader = marked.find(({ id }) => id === best[leadBy.compared.key]);
  if (leader === undefined) return null;
  const unknown = of('not-known').map(({ label }) => label);
  const at = pointText(axes);
  const names = { at: at === undefined ? [] : [at], figure: calledText(leadBy) };
  const good = of('as-good').map(({ label }) => label);
  const rest = { notKnown: unknown, ...unknownBefore(table, point, leadBy) };
  if (leader.mark.code === 'best')
    return {
      ...{ code: 'best', ...names, best: leader.label, leads: leadsText(leadBy), asGood: good, ...rest },
      worse: behindIn(marked, leader.id, leadBy),
    };
  if (leader.mark.code === 'as-good')
    return { code: 'as-good', ...names, margin, asGood: [leader.label, ...good], ...rest };
  // of two the cost too, which is often known more exactly
  const figures =
    unknown.length === 1 ? [leadBy, ...table.figures.filter((one) => one !== leadBy && isCost(one))] : [leadBy];
  const found = figures.flatMap((figure) => {
    const marks = markedBy(table, point, figure).flatMap(({ id, mark }) =>
      id === best[figure.compared.key] ? [] : mark,
    );
    return marks.some(({ code }) => code === 'not-known') ? [{ figure, marks }] : [];
  });
  return {
    ...{ code: 'not-known', ...names, notKnown: [leader.label, ...unknown], ofAll: unknown.length + 1 === rows.length },
    unknown: found.map(({ figure, marks }) => ({ figure: calledText(figure), ...leastSeen(unknownOf(marks)) })),
    ...wantedOf(
      table,
      found.some(({ marks }) => marks.some(wantsMore)),
    ),
  };
}

/**
 * @param {NonNullable<Mark['ratio']>} ratio
 * @returns {NonNullable<Mark['ratio']>} the other way round
 */
const inverse = ({ median, low, high, ...rest }) => ({
  ...rest,
  ...{ median: 1 / Number(median), low: 1 / Number(high), high: 1 / Number(low) },
});

/**
 * @param {RankingTable} table @param {Point} point @param {string[]} versions labels of two, the changed one last
 * @returns {{ code: 'change' } & Change | null} what the change did, by the figure that ranks first; null where the
 *   point does not have just these two
 */
function changeOf(table, point, [of, label]) {
  const { leadBy, best, axes, rows } = point;
  if (leadBy === undefined || rows.length !== 2 || !rows.every((row) => [of, label].includes(row.label))) return null;
  const order = [leadBy, ...table.figures.filter((figure) => figure !== leadBy)];
  const found = order.flatMap((figure) => {
    const marked = markedBy(table, point, figure);
    const other = marked.find(({ id }) => id !== best[figure.compared.key]);
    return best[figure.compared.key] === undefined || other === undefined ? [] : [{ figure, ...other }];
  });
  const changed = found.flatMap(({ figure, label: own, mark: { code, ratio } }) =>
    code === 'worse' && ratio ? [{ figure: figure.compared.key, ratio: own === label ? ratio : inverse(ratio) }] : [],
  );
  const first = [leadBy, table.figures[0]];
  const marks = found.filter(({ figure, mark }) => mark.code === 'not-known' && first.includes(figure));
  const at = pointText(axes);
  return {
    ...{ code: 'change', label, of, at: at === undefined ? [] : [at], margin: table.margin },
    changes: changed,
    asGood: found.filter(({ mark }) => mark.code === 'as-good').map(({ figure }) => changedWhat(figure)),
    unknown: marks.map(({ figure, mark }) => ({ figure: changedWhat(figure), ...leastSeen([mark]) })),
    ...wantedOf(
      table,
      marks.some(({ mark }) => wantsMore(mark)),
    ),
  };
}

/** @param {Mark['ratio']} ratio @returns {number} from 1 */
const distance = (ratio) => Math.abs(Math.log(ratio?.median ?? 1));

/**
 * @param {Partial<Best> & { code: string }} outcome
 * @returns {string} the same for points that one sentence can state
 */
const keyOf = ({ code, figure, best, asGood = [], worse = [], notKnown = [] }) =>
  JSON.stringify([code, figure, best, [...asGood].sort(), worse.map(({ name }) => name).sort(), [...notKnown].sort()]);

/** @param {{ label: string }[]} marked @returns {string[]} */
const namesOf = (marked) => marked.map(({ label }) => label);

/**
 * @param {RankingTable} table
 * @param {string[]} versions of one program @param {Known} known
 * @returns {Part[]} points of a sweep with the same outcome in one
 */
function rankedParts(table, versions, known) {
  const changes = versions.length === 2 ? table.points.flatMap((point) => changeOf(table, point, versions) ?? []) : [];
  if (changes.length > 0) return changes.slice(0, MOST.points).map(({ code, ...data }) => partOf(code, data));
  const outcomes = table.points.flatMap((point) => outcomeOf(table, point, known) ?? []);
  const keys = [...new Set(outcomes.map(keyOf))];
  return keys.slice(0, MOST.points).map((key) => {
    const all = outcomes.filter((one) => keyOf(one) === key);
    const { code, ...data } = all[0];
    if (all.length === 1) return partOf(code, data);
    // by how much differs from point to point, and is in the table
    const figure = table.figures.find((one) => calledText(one) === data.figure);
    const text = figure === undefined ? '' : behindText(figure);
    const worse = 'worse' in data ? data.worse.map(({ name }) => ({ name, text })) : undefined;
    const unknown = data.unknown.map(({ figure }) => ({
      figure,
      ...leastSeen(all.flatMap((one) => one.unknown.filter((other) => other.figure === figure))),
    }));
    return partOf(code, { ...data, unknown, at: all.flatMap(({ at }) => at), ...(worse ? { worse } : {}) });
  });
}

/**
 * @typedef {object} Told  what is said before the figures
 * @property {boolean} isOnly  the run has but one server
 * @property {boolean} isServedTold  how many connections were served
 * @property {boolean} isFailedTold  what became of the requests
 * @property {boolean} isEventTold  that anything happened
 * @property {string[]} withRate  cases of which it is told what was achieved of the rate
 *
 * @param {RankingTable} table
 * @param {Summary} summary
 * @param {Case} one
 * @param {Told} told
 * @returns {Part[]} its figures, and the connections of the leg that served the fewest
 */
function figureParts(table, { legs }, one, { isOnly, isServedTold, isFailedTold, isEventTold, withRate }) {
  const shown = shownCase(
    legs.filter(({ id }) => one.legs.includes(id)),
    one,
  );
  const leg = /** @type {MeasuredLeg} */ (shown.worst);
  const achieved = withRate.includes(one.id) ? undefined : achievedRate(shown);
  const { account, connections, heldOnly } = leg;
  const done = account ? (heldOnly ? account.idle : account.served) : connections.peakOpen;
  const verb = account && !heldOnly ? 'served' : 'held';
  const row = table.points.flatMap(({ rows }) => rows).find((found) => found.case === one.id);
  const known = table.figures.flatMap((figure, i) => {
    const cell = row?.cells[i] ?? {};
    return figure.group === 'connections' || (cell.median ?? cell.moreThan) === undefined ? [] : [{ figure, cell }];
  });
  // of the times that are longer than all that were measured, the first
  const beyond = known.find(({ cell }) => cell.moreThan !== undefined);
  const compared = known
    .filter((own) => own.cell.moreThan === undefined || own === beyond)
    .map(({ figure, cell }) => {
      const value = valueText(figure, cell);
      return figure.unit === 'rate' ? `${value} ${titleOf(figure)}` : `${figure.name} ${value}`;
    });
  const figures = [...(achieved ? [`${achieved.text} requests/s`] : []), ...compared].slice(0, MOST.figures);
  const of = account?.requested ?? connections.requested;
  const isOfServed = servedOnlySome(leg) !== undefined && (isServedTold || !isFailedTold);
  const isSomeTold = isServedTold || isFailedTold || (isEventTold && done === of);
  if (figures.length === 0 && isSomeTold) return [];
  const label = isOnly ? {} : { label: one.label };
  const data = { case: one.id, ...label, connections: { done, of, verb }, figures, isSomeTold };
  return [partOf('figures', { ...data, ...(isOfServed ? { isOfServed } : {}) })];
}

/**
 * @param {Summary} summary @param {Case[]} cases @param {Part[]} events
 * @returns {Part[]} one at most: of one server, that all requests were answered, or all connections held
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
  const figures = requestsIn(legs).map((one) => one.figures);
  const failed = sum(figures.map((one) => one.failed + one.unfinished));
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

/** @param {number} ns @returns {number} two digits, not less */
function roundedUp(ns) {
  const unit = 10 ** (Math.floor(Math.log10(Math.max(1, ns))) - 1);
  return Math.ceil(ns / unit) * unit;
}

/**
 * @param {Case[]} cases that were measured
 * @param {RankingTable} table
 * @param {Summary} summary
 * @returns {Part[]} one at most: why they are not ranked
 */
function unrankedParts(cases, { rounds: asked, points, unit }, { legs, endedBy }) {
  const ids = new Set(cases.map(({ id }) => id));
  if (!points.some(({ rows }) => rows.filter((row) => ids.has(row.case)).length > 1)) return [];
  const values = cases.flatMap(({ figures }) => Object.values(figures).map((figure) => figure.values));
  const rounds = Math.max(...values.map((own) => own.filter((value) => value !== null).length));
  const sliced = cases
    .map((one) => legs.filter(({ id }) => one.legs.includes(id)))
    .map((own) => ({ own, slices: slicesIn(own) }));
  const [{ own, slices }] = sliced.sort((a, b) => a.slices - b.slices);
  const missingNs = isInterrupted(endedBy) ? missingNsOf(own, MIN_SLICES - slices) : undefined;
  const turns = Number.isFinite(slices) ? { slices, ...present('missingNs', missingNs) } : {};
  return [partOf('not-ranked', { rounds, asked, unit, ...turns })];
}

/**
 * @param {Summary['legs']} legs of a server, which take turns @param {number} slices that they lack together
 * @returns {number | undefined} ns in which they would have them: in each period every leg has one
 */
function missingNsOf(legs, slices) {
  const [{ slices: turns }] = legs;
  return turns && slices > 0 ? Math.ceil(slices / legs.length) * turns.of * turns.lengthNs : undefined;
}

/**
 * @param {Summary} summary @param {RankingTable} table @param {Case[]} cases
 * @param {Told} told
 * @returns {Part[]} what was measured; nothing of a server that ended meanwhile
 */
function measuredParts(summary, table, cases, told) {
  const ran = summary.legs.filter((leg) => isMeasured(leg) && leg.endedBy !== 'no-transfers' && !hasEnded(leg));
  const measured = cases.filter((one) => !isAtRate(one) && ran.some(({ id }) => one.legs.includes(id)));
  const withFigures = measured.filter(({ figures }) => Object.keys(figures).length > 0);
  const each = (/** @type {Case[]} */ some) =>
    some.slice(0, MOST.answers).flatMap((one) => figureParts(table, summary, one, told));
  if (withFigures.length <= 1) return each(withFigures.length === 1 ? withFigures : measured);
  const ranked = rankedParts(table, summary.config.versions ?? [], {
    isBusy: summary.legs.some(isDisturbed),
    isSpoiled: isSpeedSpoiled(summary),
    isServedTold: told.isServedTold,
  });
  const sound = withFigures.filter((one) => summary.legs.some((leg) => one.legs.includes(leg.id) && !isBroken(leg)));
  const said = ranked.length > 0 ? ranked : unrankedParts(sound, table, summary);
  if (said.length > 0) return said;
  const shown = sound.length > 0 ? sound : withFigures;
  // of several the table has the figures
  return shown.length > 1 && told.isEventTold ? [] : each(shown);
}

/**
 * @param {Summary} summary @param {Case[]} cases
 * @returns {Part[]} one at most: of several servers under a ramp, that none came to where it breaks
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
  const found = answers
    .slice(0, MOST.answers)
    .map(({ label, decided, answer, remark }) => ({ label, decided, answer, ...present('remark', remark) }));
  const left = answers.length - found.length;
  return [...found, ...(left > 0 ? [{ left }] : [])].map((data) => partOf('found', data, { code: 'search' }));
}

/** @param {Summary} summary @returns {Part[]} one at most */
function verdictParts({ verdict }) {
  if (!verdict) return [];
  const failed =
    verdict.thresholds.find((row) => verdictOutcome(row) === 'failed') ?? verdict.thresholds.find((row) => !row.passed);
  return [partOf('verdict', { verdict, failed }, { code: verdictOutcome(verdict) })];
}

/** @param {Summary} summary @returns {Part[]} one at most */
function baselineParts({ baseline }) {
  if (!baseline) return [];
  const data = { ...outcomeFacts(baseline), name: baseline.baseline.name };
  return [partOf('baseline', data, { code: `baseline-${baseline.outcome}` })];
}

/**
 * @param {Summary} summary of a run
 * @returns {Part[]} what happened first, then the answer, then figures; never empty
 */
export function answerOf(summary) {
  const { legs, search } = summary;
  const cases = summary.cases ?? casesOf(legs);
  const verdict = verdictParts(summary);
  const hasPassed = summary.verdict !== undefined && verdictOutcome(summary.verdict) === 'passed';
  const events = eventParts(summary, cases);
  const others = [...(search ? searchParts(search.answers) : []), ...baselineParts(summary)];
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
    ...others,
    ...well,
    ...servedParts(summary, cases),
    ...(others.length > 0 ? [] : measuredParts(summary, rankingTable(summary), cases, told)),
  ];
  return answer.length > 0 ? answer : [partOf('incomplete', {}, { code: 'nothing-measured' })];
}

/** @param {Summary} summary of a run @returns {string} its headline as one paragraph */
export const answerText = (summary) =>
  answerOf(summary)
    .map(({ text }) => text)
    .join(' ');
