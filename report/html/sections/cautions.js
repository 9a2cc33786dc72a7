/**
 * What a reader of the figures must know: whether to trust them, in one line, and behind it in one list that opens
 * whether the run was cut, what is missing, the findings and warnings, the severest first. Each is one line, with a
 * link to the chart that shows it.
 */
import { trustOf } from '../../../client/judge/trust.js';
import { groupedFindings, rowOf, textInRounds } from '../../../client/judge/findings/index.js';
import { endingText, isInterrupted } from '../../../client/words/endings.js';
import { count, counted } from '../../../client/words/format.js';
import { html } from '../html.js';
import { trustLine } from './trust.js';

/**
 * @import { ChartModel, PageLeg, Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/**
 * @typedef {'problem' | 'caution' | 'note'} Severity
 * @typedef {{ severity: Severity, item: Fragment }} Item
 */

const HEADLINES = {
  cut: 'Partial run: it was killed. Its summary was made later, from the samples it had written.',
  interrupted: 'Partial run: it was interrupted. The figures are correct up to that moment.',
  incomplete: 'Incomplete run: not every measurement ran to its planned end.',
};

/**
 * @param {string} code of a finding
 * @param {ChartModel} model
 * @returns {Fragment | null} a link to the chart that shows it; null where none is drawn
 */
function chartLink(code, { charts }) {
  const [chart] = (rowOf(code)?.charts ?? []).flatMap((id) => charts.find((one) => one.id === id && !one.empty) ?? []);
  return chart === undefined ? null : html` <a href="#figure-${chart.id}">${chart.title}</a>`;
}

/** @param {string[]} labels of further servers @param {unknown[]} items of each @returns {Fragment | null} */
const others = (labels, items) =>
  items.length === 0
    ? null
    : html`<details><summary>Also ${labels.length === 1 ? labels[0] : `${count(labels.length)} others`}</summary><ul>${items}</ul></details>`;

/** @param {{ label: string }} finding @returns {Fragment | null} an attribute; none of the run */
const legOf = ({ label }) => (label === '' ? null : html` data-leg="${label}"`);

/** @param {{ label: string }} finding @returns {Fragment | null} */
const labelOf = ({ label }) => (label === '' ? null : html`<b>${label}</b>: `);

/** @param {string | undefined} remedy @returns {Fragment | null} */
const advice = (remedy) => (remedy ? html` <em>${remedy}</em>` : null);

/** @param {Run} run @param {ChartModel} model @returns {Item[]} the one list */
function findings({ summary, plan }, model) {
  const warnings = [...(plan?.warnings ?? []), ...(summary.warnings ?? [])];
  // how a leg ended is told of the run as a whole
  const found = groupedFindings({ ...summary, warnings }).filter(({ code }) => !rowOf(code)?.isEnd);
  return found.map((one) => {
    const { code, severity, remedy, rest } = one;
    const more = rest.map((other) => {
      const own = other.remedy === remedy ? undefined : other.remedy;
      return html`<li${legOf(other)}>${labelOf(other)}${textInRounds(other)}${advice(own)}</li>`;
    });
    return {
      severity,
      item: html`<li data-code="${code}" data-severity="${severity}"${legOf(one)}>${labelOf(one)}${textInRounds(one)}${chartLink(code, model)}${advice(remedy)}${others(
        rest.map((other) => other.label),
        more,
      )}</li>`,
    };
  });
}

/** More servers are counted, not named. */
const MOST_NAMED = 6;

/** @param {PageLeg} leg of a run that is not complete @returns {string} why it ended, what is missing, and a remedy */
function lossOf({ summary: { complete, endedBy, failure }, missing }) {
  // of a run that was interrupted, each of many servers lacks another part of its time
  const files = missing.filter(({ code }) => !(isInterrupted(endedBy ?? '') && code === 'end-of-steady-state'));
  const parts = [
    ...(complete ? [] : [failure?.text?.split('\n')[0] ?? endingText(endedBy ?? 'never')]),
    ...(files.length > 0 ? [`missing: ${files.map(({ text }) => text).join(', ')}`] : []),
  ];
  return [parts.join('; '), ...(failure?.remedy ? [failure.remedy] : [])].join('. ');
}

/** @param {Run} run @param {PageLeg[]} results @returns {Item[]} what is missing of a run that is not complete */
function missing(run, results) {
  const { endedBy, complete } = run.summary;
  const isRunning = endedBy === 'running';
  const broken = results.filter(
    (f) => (!f.summary.complete || f.missing.length > 0) && !(isRunning && f.summary.endedBy === undefined),
  );
  if ((complete || isRunning) && broken.length === 0) return [];
  const code = endedBy === 'cut' ? 'cut' : isInterrupted(endedBy) ? 'interrupted' : 'incomplete';
  const legs = [...new Set(broken.map(lossOf))].map((said) => {
    const own = broken.filter((f) => lossOf(f) === said);
    const labels = own.map(({ label }) => label);
    const names = labels.length > MOST_NAMED ? `${count(labels.length)} servers` : labels.join(', ');
    return html`<li data-legs="${labels.join(' ')}" data-code="${own[0].summary.endedBy ?? 'never'}" data-missing="${own[0].missing.map((file) => file.code).join(' ')}"><b>${names}</b>: ${said}</li>`;
  });
  return [
    {
      severity: 'problem',
      item: html`<li id="partial" data-code="${code}"><b>${HEADLINES[code]}</b><ul>${legs}</ul></li>`,
    },
  ];
}

/** @param {Run} run @returns {Item[]} lines of its files */
const unreadable = (run) =>
  run.unreadable.map((line) => ({
    severity: 'caution',
    item: html`<li data-code="unreadable">unreadable: ${line}</li>`,
  }));

/**
 * @param {Run} run @param {PageLeg[]} results @param {ChartModel} model
 * @returns {Fragment | null} null where there is nothing to say; open where a server failed
 */
export function cautions(run, results, model) {
  const ran = results.filter((leg) => leg.ran);
  const isBroken = (ran.length > 0 ? ran : results).some(({ summary }) => summary.failure !== undefined);
  const items = [...missing(run, results), ...findings(run, model), ...unreadable(run)];
  const trust = run.summary.endedBy === 'running' ? undefined : trustOf(run.summary);
  const line = trust && trustLine(trust);
  if (items.length === 0) return line ? html`<p id="cautions">${line}</p>` : null;
  const number = (/** @type {Severity} */ severity) => {
    const n = items.filter((one) => one.severity === severity).length;
    return n === 0 ? [] : [counted(n, severity)];
  };
  const heads = [...number('problem'), ...number('caution'), ...number('note')];
  const worst = items.some(({ severity }) => severity === 'problem') ? 'problem' : 'caution';
  return html`<details id="cautions" class="${worst}"${isBroken ? html` open` : null}><summary>${line ?? null}<span class="more">${heads.join(', ')}</span></summary><ul>${items.map(({ item }) => item)}</ul></details>`;
}
