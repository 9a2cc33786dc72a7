/**
 * The cautions: a line on whether to trust the figures, and a list that opens, with missing data, findings and
 * warnings, the most severe first. An item has a link to its chart.
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
  cut: 'Partial run: it was killed. The summary was made later, from its samples.',
  interrupted: 'Partial run: it was interrupted. The figures are correct up to that moment.',
  incomplete: 'Incomplete run: not every measurement ran to its planned end.',
};

/**
 * @param {string} code of a finding
 * @param {ChartModel} model
 * @returns {Fragment | null} a link to the chart that shows the finding; null if the page has none
 */
function chartLink(code, { charts }) {
  const [chart] = (rowOf(code)?.charts ?? []).flatMap(
    (id) => charts.find((candidate) => candidate.id === id && !candidate.empty) ?? [],
  );
  return chart === undefined ? null : html` <a href="#figure-${chart.id}">${chart.title}</a>`;
}

/** @param {string[]} labels of further servers @param {unknown[]} items of each @returns {Fragment | null} */
const otherServers = (labels, items) =>
  items.length === 0
    ? null
    : html`<details><summary>Also ${labels.length === 1 ? labels[0] : `${count(labels.length)} others`}</summary><ul>${items}</ul></details>`;

/** @param {{ label: string }} finding @returns {Fragment | null} attribute; null for a finding about the whole run */
const legOf = ({ label }) => (label === '' ? null : html` data-leg="${label}"`);

/** @param {{ label: string }} finding @returns {Fragment | null} */
const labelOf = ({ label }) => (label === '' ? null : html`<b>${label}</b>: `);

/** @param {string | undefined} remedy @returns {Fragment | null} */
const advice = (remedy) => (remedy ? html` <em>${remedy}</em>` : null);

/** @param {Run} run @param {ChartModel} model @returns {Item[]} */
function findings({ summary, plan }, model) {
  const warnings = [...(plan?.warnings ?? []), ...(summary.warnings ?? [])];
  // The item on a partial run tells how legs ended.
  const grouped = groupedFindings({ ...summary, warnings }).filter(({ code }) => !rowOf(code)?.isEnd);
  return grouped.map((finding) => {
    const { code, severity, remedy, rest } = finding;
    const items = rest.map((other) => {
      const otherRemedy = other.remedy === remedy ? undefined : other.remedy;
      return html`<li${legOf(other)}>${labelOf(other)}${textInRounds(other)}${advice(otherRemedy)}</li>`;
    });
    return {
      severity,
      item: html`<li data-code="${code}" data-severity="${severity}"${legOf(finding)}>${labelOf(finding)}${textInRounds(finding)}${chartLink(code, model)}${advice(remedy)}${otherServers(
        rest.map((other) => other.label),
        items,
      )}</li>`,
    };
  });
}

/** More servers are counted, not named. */
const MAX_NAMED = 6;

/** @param {PageLeg} leg of an incomplete run @returns {string} why the leg ended, its missing data, and a remedy */
function lossOf({ summary: { complete, endedBy, failure }, missing }) {
  // After an interruption, each server lacks a different part of its time, so that would be a line for each.
  const files = missing.filter(({ code }) => !(isInterrupted(endedBy ?? '') && code === 'end-of-steady-state'));
  const parts = [
    ...(complete ? [] : [failure?.text?.split('\n')[0] ?? endingText(endedBy ?? 'never')]),
    ...(files.length > 0 ? [`missing: ${files.map(({ text }) => text).join(', ')}`] : []),
  ];
  return [parts.join('; '), ...(failure?.remedy ? [failure.remedy] : [])].join('. ');
}

/**
 * @param {Run} run @param {PageLeg[]} results
 * @returns {Item[]} an item for an incomplete run; none for a complete one
 */
function missing(run, results) {
  const { endedBy, complete } = run.summary;
  const isRunning = endedBy === 'running';
  const broken = results.filter(
    (f) => (!f.summary.complete || f.missing.length > 0) && !(isRunning && f.summary.endedBy === undefined),
  );
  if ((complete || isRunning) && broken.length === 0) return [];
  const code = endedBy === 'cut' ? 'cut' : isInterrupted(endedBy) ? 'interrupted' : 'incomplete';
  const items = [...new Set(broken.map(lossOf))].map((text) => {
    const legs = broken.filter((f) => lossOf(f) === text);
    const labels = legs.map(({ label }) => label);
    const names = labels.length > MAX_NAMED ? `${count(labels.length)} servers` : labels.join(', ');
    return html`<li data-legs="${labels.join(' ')}" data-code="${legs[0].summary.endedBy ?? 'never'}" data-missing="${legs[0].missing.map((file) => file.code).join(' ')}"><b>${names}</b>: ${text}</li>`;
  });
  return [
    {
      severity: 'problem',
      item: html`<li id="partial" data-code="${code}"><b>${HEADLINES[code]}</b><ul>${items}</ul></li>`,
    },
  ];
}

/** @param {Run} run @returns {Item[]} an item for each unreadable file */
const unreadable = (run) =>
  run.unreadable.map((line) => ({
    severity: 'caution',
    item: html`<li data-code="unreadable">unreadable: ${line}</li>`,
  }));

/**
 * @param {Run} run @param {PageLeg[]} results @param {ChartModel} model
 * @returns {Fragment | null} null if there are no cautions; open if a server failed
 */
export function cautions(run, results, model) {
  const ran = results.filter((leg) => leg.ran);
  const isBroken = (ran.length > 0 ? ran : results).some(({ summary }) => summary.failure !== undefined);
  const items = [...missing(run, results), ...findings(run, model), ...unreadable(run)];
  const trust = run.summary.endedBy === 'running' ? undefined : trustOf(run.summary);
  const line = trust && trustLine(trust);
  if (items.length === 0) return line ? html`<p id="cautions">${line}</p>` : null;
  const number = (/** @type {Severity} */ severity) => {
    const n = items.filter((item) => item.severity === severity).length;
    return n === 0 ? [] : [counted(n, severity)];
  };
  const heads = [...number('problem'), ...number('caution'), ...number('note')];
  const worst = items.some(({ severity }) => severity === 'problem') ? 'problem' : 'caution';
  return html`<details id="cautions" class="${worst}"${isBroken ? html` open` : null}><summary>${line ?? null}<span class="more">${heads.join(', ')}</span></summary><ul>${items.map(({ item }) => item)}</ul></details>`;
}
