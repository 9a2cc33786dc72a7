// The headline of a run: what it answers, and the worst of what went wrong, from thirteen templates. Pure; console,
// page and Markdown show it beside the table of servers. It reads nothing but summary.json.

import { isInterrupted } from '../words/endings.js';
import { servedOnlySome } from '../words/figures.js';
import { count, counted, duration, percent, plain, rate } from '../words/format.js';
import { joinNames, listNames, listParts } from '../words/lists.js';
import { remarkedAnswer } from '../words/search.js';
import { figuresOf, isMeasured } from '../measure/leg-figures.js';
import { present, sumEach } from '../measure/sums.js';
import { achievedRate } from './achieved-rate.js';
import { casesOf } from './cases.js';
import { outcomeFacts, outcomeText } from './compare-runs/texts.js';
import { comparedFigure, isAtRate, pointText, rulesOf } from './comparisons.js';
import { changeClause, changedWhat, differenceText, smallestText, valueText } from './mark-texts.js';
import { findingText, groupedFindings, rowOf } from './findings/index.js';
import { isBroken } from './findings/outcome.js';
import { failuresOf, figureOf } from './figures.js';
import { rankingTable, slicesIn } from './ranking-table.js';
import { MIN_ROUNDS, MIN_SLICES } from './statistics/index.js';
import { shownCase, valueOf } from './value-of.js';
import { rowText, verdictOutcome, verdictText } from './verdict.js';

/**
 * @import { Case, Figures, Finding, Mark, RunSummary as Summary } from '../../config/types.js'
 * @import { MeasuredLeg } from '../measure/leg-figures.js'
 * @import { ComparedFigure } from './comparisons.js'
 * @import { Figure } from './figures.js'
 * @import { RankingTable } from './ranking-table.js'
 * @import { Found } from './search/index.js'
 * @import { ShownCase } from './value-of.js'
 */

/**
 * answer: to the question that the run asks; problem: a server failed at something; caution: what the answer depends
 * on.
 * @typedef {{ code: string, severity: 'answer' | Finding['severity'], data: Record<string, any>, text: string }} Part
 */

/**
 * How many the headline names of: kinds of problems, servers of a search, outcomes of the points of a sweep, figures of
 *   a server, servers with failed requests, and kinds of their replies. The tables show all of them.
 */
const MOST = { problems: 2, answers: 4, points: 3, figures: 4, failing: 3, kinds: 4 };
const CONNECTIONS = ' connections';
/**
 * The share of the requests due from which the headline tells of those that were never sent: when the load ends, a few
 * wait for the next free connection.
 */
const MANY_UNSENT = 0.01;

/** @param {any} server of the data of a part @returns {string} */
const worseText = ({ name, ratio }) => (ratio ? `${name} by ${differenceText(ratio)}` : name);

/** @param {string[]} at points @returns {string} such as " at 10 and 100 connections" */
function where(at) {
  if (at.length === 0) return '';
  if (!at.every((text) => text.endsWith(CONNECTIONS))) return ` at ${listNames(at)}`;
  return ` at ${listNames(at.map((text) => text.slice(0, -CONNECTIONS.length)))}${CONNECTIONS}`;
}

/** @param {ComparedFigure} figure @returns {string} such as "transfers/s", "response p99", "connections served" */
const titleOf = ({ name, title = name, group }) => (group === 'connections' ? `${group} ${name}` : title);

/** @param {string} best @param {string[]} notKnown @returns {string} the servers that may be best */
function bestText(best, notKnown) {
  if (notKnown.length === 0) return best;
  return notKnown.length === 1 ? `${best} or ${notKnown[0]}` : `One of ${listNames([best, ...notKnown])}`;
}

/** @param {string[]} parts @returns {string} */
const clauses = (parts) => parts.filter((text) => text !== '').join('; ');

/**
 * @typedef {{ figure: string, smallestPercent?: number }} Unknown  smallestPercent: the least that could have been seen
 * @typedef {{ more: boolean, unit: RankingTable['unit'], hasBudget?: boolean }} Wanted  more: that would tell;
 *   hasBudget: the run had a limit of time
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

/**
 * @param {Wanted & { unknown: Unknown[] }} data unknown: figures
 * @returns {string[]} sentences; none without such a figure
 */
const unknownBy = ({ unknown, ...wanted }) =>
  unknown.length === 0 ? [] : [notApartText('they', unknown), whatTells(wanted)];

/** Code to severity and text. @type {Readonly<Record<string, [Part['severity'], (data: any) => string]>>} */
const TEMPLATES = {
  change: [
    'answer',
    ({ label, of, at, margin, changes, asGood, unknown, ...wanted }) => {
      const known = [
        ...changes.map((/** @type {any} */ { figure, ratio }) => changeClause(comparedFigure(figure), ratio)),
        ...(asGood.length > 0 ? [`is as good as ${of} by ${joinNames(asGood)}, within ±${plain(100 * margin)} %`] : []),
      ];
      return known.length === 0
        ? sentences([noDifferenceText(label, of, where(at), unknown), whatTells(wanted)])
        : sentences([`${label} ${joinNames(known)}${where(at)}`, ...unknownBy({ unknown, ...wanted })]);
    },
  ],
  best: [
    'answer',
    ({ figure, at, best, asGood, worse, notKnown, ...rest }) =>
      sentences([
        clauses([
          `${bestText(best, notKnown)} is best by ${figure}${where(at)}${notKnown.length === 0 ? '' : ' (not known which)'}`,
          asGood.length > 0 ? `${listNames(asGood)} ${asGood.length === 1 ? 'is' : 'are'} as good` : '',
          `worse: ${listParts(worse.map(worseText))}`,
        ]),
        ...unknownBy(/** @type {any} */ (rest)),
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
        ...unknownBy(/** @type {any} */ (rest)),
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
    ({ rounds, asked, unit, slices, missingNs }) =>
      slices < MIN_SLICES
        ? `Too short to rank the servers: each was loaded in ${counted(slices, 'slice')} of the ${MIN_SLICES} that a comparison needs; ${missingNs === undefined ? 'give a longer duration' : `it needed ${duration(missingNs)} more`}`
        : rounds >= MIN_ROUNDS
          ? 'The servers are not ranked: they have no figure in common'
          : unit === 'block'
            ? 'Too short to rank the servers: give a longer duration'
            : `${['', 'Measured once', 'Measured twice'][rounds] ?? 'Too few complete rounds'}, so the servers are not ranked${asked > rounds ? '' : ': rank them with --rounds 5'}`,
  ],
  figures: [
    'answer',
    ({ label, connections: { done, of, verb }, figures, isOfServed }) =>
      `${label} ${verb} ${done === of ? 'all ' : `${count(done)} of `}${counted(of, 'connection')}${figures.length === 0 ? '' : `: ${joinNames(figures)}`}${
        isOfServed && figures.length > 0 ? `, of the ${count(done)} that ${done === 1 ? 'was' : 'were'} served` : ''
      }`,
  ],
  'requests-failed': [
    'problem',
    ({ label, share, of, kinds, noReply, goodPerSecond, left }) => {
      if (left !== undefined) return `Requests of ${counted(left, 'more server')} failed`;
      const sorted = Object.entries(kinds).sort(([, a], [, b]) => b - a);
      const parts = [
        ...sorted.slice(0, MOST.kinds).map(([kind, n]) => `${kind} ${count(n)}`),
        ...(sorted.length > MOST.kinds ? ['other replies'] : []),
        ...(noReply > 0 ? [`no reply ${count(noReply)}`] : []),
      ];
      return clauses([
        `${label}: ${percent(share, 2)} of ${counted(of, 'request')} failed (${parts.join(', ')})`,
        goodPerSecond === undefined ? '' : `${rate(goodPerSecond)} good replies`,
      ]);
    },
  ],
  'requests-unsent': [
    'caution',
    ({ label, achieved, unsent, of, left }) => {
      if (left !== undefined) return `${counted(left, 'more server')} did not keep up with the rate`;
      const why = 'never sent, since no connection was free';
      return achieved === undefined
        ? `${label}: ${count(unsent)} of ${counted(of, 'request')} were ${why}`
        : `${label} did ${achieved} requests/s; ${count(unsent)} ${unsent === 1 ? 'was' : 'were'} ${why}`;
    },
  ],
  found: [
    'answer',
    ({ left, label, ...found }) =>
      left === undefined ? `${label}: ${remarkedAnswer(found)}` : `${counted(left, 'more answer')} below`,
  ],
  verdict: [
    'answer',
    ({ verdict, failed }) => `Verdict ${verdictText(verdict)}${failed ? `; ${rowText(failed)}` : ''}`,
  ],
  baseline: ['answer', ({ name, ...data }) => `Compared with ${name}: ${outcomeText(data)}`],
  incomplete: [
    'caution',
    ({ complete, begun, killed, untilNs }) => {
      if (begun === 0) return 'Nothing was measured: no leg ran';
      const what = `The run was ${killed ? 'killed' : 'interrupted'}`;
      if (untilNs === null) return `${what} before anything was measured`;
      return untilNs === undefined
        ? `${what}: ${count(complete)} of ${counted(begun, 'leg')} that had begun ${complete === 1 ? 'is' : 'are'} complete`
        : `${what} after ${duration(untilNs)}; the figures are of that time`;
    },
  ],
};

/**
 * @param {string} template @param {Record<string, any>} data @param {Partial<Pick<Part, 'code' | 'severity'>>} [over]
 * @returns {Part}
 */
function partOf(template, data, over = {}) {
  const [severity, write] = TEMPLATES[template];
  const text = write(data);
  return { code: template, severity, data, text: /[.!?…]$/.test(text) ? text : `${text}.`, ...over };
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
    const marks = markedBy(table, point, figure).flatMap(({ id, mark }) => (id === best ? [] : mark));
    return best === undefined ? [] : [{ marks, one: { figure: titleOf(figure), ...leastSeen(unknownOf(marks)) } }];
  });
  const more = found.some(({ marks }) => marks.some(wantsMore));
  return { unknown: found.map(({ one }) => one), ...wantedOf(table, more) };
}

/**
 * @param {RankingTable} table
 * @param {Point} point
 * @returns {Record<string, any> | null} what it says by the figure that ranks; null where none does
 */
function outcomeOf(table, point) {
  const { margin } = table;
  const { axes, leadBy, best, rows } = point;
  if (leadBy === undefined) return null;
  const marked = markedBy(table, point, leadBy);
  const of = (/** @type {string} */ code) =>
    marked.filter(({ id, mark }) => mark.code === code && id !== best[leadBy.compared.key]);
  const leader = marked.find(({ id }) => id === best[leadBy.compared.key]);
  if (leader === undefined) return null;
  const unknown = of('not-known').map(({ label }) => label);
  const at = pointText(axes);
  const names = { at: at === undefined ? [] : [at], figure: titleOf(leadBy) };
  const good = of('as-good').map(({ label }) => label);
  const rest = { notKnown: unknown, ...unknownBefore(table, point, leadBy) };
  if (leader.mark.code === 'best')
    return {
      ...{ code: 'best', ...names, best: leader.label, asGood: good, ...rest },
      worse: of('worse')
        .sort((a, b) => distance(a.mark.ratio) - distance(b.mark.ratio))
        .map(({ label, mark: { ratio } }) => ({ name: label, ratio })),
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
    unknown: found.map(({ figure, marks }) => ({ figure: titleOf(figure), ...leastSeen(unknownOf(marks)) })),
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
 * @returns {Record<string, any> | null} what the change did, by the figure that ranks first; null where the point does
 *   not have just these two
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

/** @param {Record<string, any>} outcome @returns {string} the same for points that one sentence can state */
const keyOf = ({ code, figure, best, asGood = [], worse = [], notKnown = [] }) =>
  JSON.stringify([code, figure, best, [...asGood].sort(), namesOf(worse).sort(), [...notKnown].sort()]);

/** @param {{ name: string }[]} worse @returns {string[]} */
const namesOf = (worse) => worse.map(({ name }) => name);

/**
 * @param {RankingTable} table
 * @param {string[]} versions of one program
 * @returns {Part[]} points of a sweep with the same outcome in one
 */
function rankedParts(table, versions) {
  const changes = versions.length === 2 ? table.points.flatMap((point) => changeOf(table, point, versions) ?? []) : [];
  if (changes.length > 0) return changes.slice(0, MOST.points).map(({ code, ...data }) => partOf(code, data));
  const outcomes = table.points.flatMap((point) => outcomeOf(table, point) ?? []);
  const keys = [...new Set(outcomes.map(keyOf))];
  return keys.slice(0, MOST.points).map((key) => {
    const all = outcomes.filter((one) => keyOf(one) === key);
    const { code, ...data } = all[0];
    if (all.length === 1) return partOf(code, data);
    // by how much differs from point to point, and is in the table
    const worse = data.worse && namesOf(data.worse).map((name) => ({ name }));
    const unknown = data.unknown.map((/** @type {Unknown} */ { figure }) => ({
      figure,
      ...leastSeen(all.flatMap((one) => one.unknown.filter((/** @type {Unknown} */ other) => other.figure === figure))),
    }));
    return partOf(code, { ...data, unknown, at: all.flatMap(({ at }) => at), ...(worse ? { worse } : {}) });
  });
}

/**
 * @param {RankingTable} table
 * @param {Summary} summary
 * @param {Case} one
 * @param {boolean} isRateTold  what was achieved of the rate
 * @returns {Part[]} its figures, and the connections of the leg that served the fewest
 */
function figureParts(table, { legs }, one, isRateTold) {
  const shown = shownCase(
    legs.filter(({ id }) => one.legs.includes(id)),
    one,
  );
  const leg = /** @type {MeasuredLeg} */ (shown.worst);
  const achieved = isRateTold ? undefined : achievedRate(shown);
  const { account, connections, heldOnly } = leg;
  const done = account ? (heldOnly ? account.idle : account.served) : connections.peakOpen;
  const verb = account && !heldOnly ? 'served' : 'held';
  const row = table.points.flatMap(({ rows }) => rows).find((found) => found.case === one.id);
  const compared = table.figures.flatMap((figure, i) => {
    const cell = row?.cells[i] ?? {};
    if (figure.group === 'connections' || (cell.median ?? cell.moreThan) === undefined) return [];
    const value = valueText(figure, cell);
    return [figure.unit === 'rate' ? `${value} ${titleOf(figure)}` : `${figure.name} ${value}`];
  });
  const figures = [...(achieved ? [`${achieved.text} requests/s`] : []), ...compared].slice(0, MOST.figures);
  const of = account?.requested ?? connections.requested;
  const isOfServed = servedOnlySome(leg) !== undefined;
  const data = { case: one.id, label: one.label, connections: { done, of, verb }, figures };
  return [partOf('figures', { ...data, ...(isOfServed ? { isOfServed } : {}) })];
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
 * @param {string[]} withRate  cases of which it is told what was achieved of the rate
 * @returns {Part[]} what was measured
 */
function measuredParts(summary, table, cases, withRate) {
  const ran = summary.legs.filter((leg) => isMeasured(leg) && leg.endedBy !== 'no-transfers').map(({ id }) => id);
  const measured = cases.filter((one) => !isAtRate(one) && one.legs.some((id) => ran.includes(id)));
  const withFigures = measured.filter(({ figures }) => Object.keys(figures).length > 0);
  const each = (/** @type {Case[]} */ some) =>
    some.slice(0, MOST.answers).flatMap((one) => figureParts(table, summary, one, withRate.includes(one.id)));
  if (withFigures.length <= 1) return each(withFigures.length === 1 ? withFigures : measured);
  const ranked = rankedParts(table, summary.config.versions ?? []);
  const sound = withFigures.filter((one) => summary.legs.some((leg) => one.legs.includes(leg.id) && !isBroken(leg)));
  const said = ranked.length > 0 ? ranked : unrankedParts(sound, table, summary);
  return said.length > 0 ? said : each(sound.length > 0 ? sound : withFigures);
}

/** @param {Found[]} answers @returns {Part[]} */
function searchParts(answers) {
  const found = answers
    .slice(0, MOST.answers)
    .map(({ label, decided, answer, remark }) => ({ label, decided, answer, ...present('remark', remark) }));
  const left = answers.length - found.length;
  return [...found, ...(left > 0 ? [{ left }] : [])].map((data) => partOf('found', data, { code: 'search' }));
}

/**
 * @param {MeasuredLeg} leg @param {Figures} figures of it
 * @returns {boolean} whether what was in flight at the end was not awaited for as long as replies took
 */
const wasCutOff = ({ phases }, { responseTimeNs }) =>
  phases?.steadyToNs !== undefined && phases.endNs - phases.steadyToNs <= (responseTimeNs?.max ?? 0);

/**
 * What is headlined as failed: not what was never sent, which is told by itself, nor what was in flight at the end and
 * not awaited.
 * @param {MeasuredLeg} leg @param {Figures} figures of it
 * @returns {ReturnType<typeof failuresOf>} of all requests
 */
function failuresIn(leg, figures) {
  const unfinished = wasCutOff(leg, figures) ? 0 : figures.unfinished;
  return { ...failuresOf({ ...figures, unfinished, unsent: 0 }), of: failuresOf(figures).of };
}

/**
 * Leaves out the one request that a connection without service waits with: the headline counts such connections.
 * @param {Summary['legs'][number]} leg @param {ReturnType<typeof failuresOf>} failures of it @returns {boolean} whether
 *   other requests failed
 */
const hasFailed = ({ account }, { failed }) => failed > (account?.unanswered ?? 0);

/**
 * @typedef {{ leg: MeasuredLeg, figures: Figures }[]} Measured  legs of a case
 * @param {string} template
 * @param {Summary} summary @param {Case[]} cases
 * @param {(legs: Measured, shown: ShownCase) => Record<string, any> & { share: number } | undefined} dataOf  of a case,
 *   without its name; undefined: there is nothing to say
 * @returns {Part[]} the greatest share first
 */
function requestParts(template, { legs, search }, cases, dataOf) {
  if (search) return [];
  const found = cases.flatMap(({ id, label, legs: ids }) => {
    const own = legs.filter((leg) => ids.includes(leg.id));
    const measured = own.flatMap((leg) => {
      const figures = figuresOf(leg);
      return isMeasured(leg) && figures && !leg.heldOnly ? [{ leg, figures }] : [];
    });
    const data = measured.length === 0 ? undefined : dataOf(measured, shownCase(own));
    return data === undefined ? [] : [{ ...data, case: id, label }];
  });
  found.sort((a, b) => b.share - a.share);
  const left = found.length - MOST.failing;
  return [...found.slice(0, MOST.failing), ...(left > 0 ? [{ left }] : [])].map((data) => partOf(template, data));
}

/** @param {Summary} summary @param {Case[]} cases @returns {Part[]} servers with failed requests */
const failedParts = (summary, cases) =>
  requestParts('requests-failed', summary, cases, (legs, shown) => {
    const failing = legs.map(({ leg, figures }) => ({ leg, ...failuresIn(leg, figures) }));
    if (!failing.some((one) => hasFailed(one.leg, one))) return undefined;
    const sum = (/** @type {'failed' | 'of' | 'noReply'} */ key) => failing.reduce((total, one) => total + one[key], 0);
    const kinds = failing.reduce((total, one) => sumEach(total, one.kinds), /** @type {Record<string, number>} */ ({}));
    const { value: good } = valueOf(GOOD_RATE, shown);
    return {
      ...{ share: sum('failed') / sum('of'), of: sum('of'), noReply: sum('noReply'), kinds },
      ...(summary.config.loop === 'open' && typeof good === 'number' ? { goodPerSecond: good } : {}),
    };
  });

/** @param {Summary} summary @param {Case[]} cases @returns {Part[]} servers to which many requests were never sent */
const unsentParts = (summary, cases) =>
  requestParts('requests-unsent', summary, cases, (legs, shown) => {
    const sum = (/** @type {'unsent' | 'due'} */ key) =>
      legs.reduce((total, { figures }) => total + (figures[key] ?? 0), 0);
    const [unsent, of] = [sum('unsent'), sum('due')];
    if (unsent === 0 || unsent < MANY_UNSENT * of) return undefined;
    return { share: unsent / of, unsent, of, ...present('achieved', achievedRate(shown)?.text) };
  });

const GOOD_RATE = /** @type {Figure} */ (figureOf('good rate'));

/** @param {Summary} summary @returns {Part[]} one at most: how far a run came that did not end as planned */
function incompleteParts({ legs, endedBy, complete }) {
  const killed = endedBy === 'cut';
  if (complete || !(killed || isInterrupted(endedBy)) || legs.length === 0) return [];
  const begun = { complete: legs.filter((leg) => leg.complete).length, begun: legs.length, killed };
  // legs that all ended with the run ran at the same time
  const isOneTime = legs.every((leg) => leg.endedBy === endedBy);
  const ends = legs.flatMap((leg) => figuresOf(leg)?.toNs ?? []);
  const data = { ...begun, ...(isOneTime ? { untilNs: ends.length === 0 ? null : Math.max(...ends) } : {}) };
  return [partOf('incomplete', data, { code: 'interrupted' })];
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
 * @returns {Part[]} the answer first; never empty
 */
export function answerOf(summary) {
  const { legs, search } = summary;
  const cases = summary.cases ?? casesOf(legs);
  const failed = failedParts(summary, cases);
  const unsent = unsentParts(summary, cases);
  const problems = groupedFindings(summary)
    .filter(({ code }) => {
      const { isOutcome, isOfFailed } = rowOf(code) ?? {};
      return isOutcome && !(failed.length > 0 && isOfFailed);
    })
    .map((found) => ({ code: found.code, severity: found.severity, data: found, text: findingText(found) }));
  const others = [...(search ? searchParts(search.answers) : []), ...baselineParts(summary)];
  const measured =
    others.length > 0
      ? []
      : measuredParts(
          summary,
          rankingTable(summary),
          cases,
          unsent.flatMap(({ data }) => data.case ?? []),
        );
  const bad = problems.filter(({ severity }) => severity === 'problem').slice(0, MOST.problems);
  const answer = [
    ...verdictParts(summary),
    ...failed,
    ...unsent,
    ...others,
    ...measured.filter(({ severity }) => severity === 'answer'),
    ...bad,
    ...measured.filter(({ severity }) => severity !== 'answer'),
    ...incompleteParts(summary),
    ...problems.filter(({ severity }) => severity !== 'problem'),
  ];
  return answer.length > 0 ? answer : [partOf('incomplete', { begun: 0 }, { code: 'nothing-measured' })];
}

/** @param {Summary} summary of a run @returns {string} its headline as one paragraph */
export const answerText = (summary) =>
  answerOf(summary)
    .map(({ text }) => text)
    .join(' ');
