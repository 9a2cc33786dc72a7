/**
 * Builds a page: one self-contained HTML file with the run's headline and figures, the style sheet, chart.js, the
 * page's script and the chart model.
 */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { answerOf } from '../../client/judge/headline.js';
import { html, json, raw } from './html.js';
import { keepUnits } from './units.js';
import { causeStyle, paletteStyle } from '../model/palette.js';
import { clock, count, duration } from '../../client/words/format.js';
import { loadTexts } from '../../client/scenario/load-text.js';
import { baseline } from './sections/baseline.js';
import { cautions } from './sections/cautions.js';
import { mainCharts } from './sections/charts.js';
import { explained } from './sections/explained.js';
import { requests } from './sections/requests.js';
import { search } from './sections/search.js';
import { keyFigures } from './sections/key-figures.js';
import { subjects } from './sections/subjects.js';
import { isAlone } from '../model/leg-order.js';
import { asPlanned } from '../../client/measure/settings.js';

/**
 * @import { Chart, ChartModel, PageLeg, Run } from '../types.js'
 * @import { Fragment } from './html.js'
 */

/** Sources of the page's script in the order of their imports. They are joined into one classic script. */
export const SCRIPTS = [
  '../../client/words/format.js',
  '../../client/words/intervals.js',
  '../../client/measure/causes.js',
  '../../client/measure/connection-cells.js',
  '../model/palette.js',
  '../model/leg-marks.js',
  '../browser/model.js',
  '../browser/theme.js',
  '../browser/plugins.js',
  '../browser/tracks.js',
  '../browser/interval-bars.js',
  '../browser/scales.js',
  '../browser/heat-map.js',
  '../browser/datasets.js',
  '../browser/tooltip.js',
  '../browser/against.js',
  '../browser/span.js',
  '../browser/view.js',
  '../browser/cursor.js',
  '../browser/zoom.js',
  '../browser/walk.js',
  '../browser/chart-table.js',
  '../browser/chart-tools.js',
  '../browser/sort.js',
  '../browser/connection-field.js',
  '../browser/main.js',
];

/** Additional script of a page with flame graphs; a live page has none. */
export const FLAME_SCRIPT = '../browser/flame-graph.js';

/** Additional script of a live page. */
export const LIVE_SCRIPT = '../browser/live.js';

/** Placeholder in every page; index.html has the list of runs there. */
export const OTHER_RUNS = '<!--other-runs-->';

const STYLES = ['page', 'table', 'chart', 'print'].map((name) => `../browser/style/${name}.css`);

/** @param {string} text script @returns {string} the script, changed so that it cannot end its element */
const inScript = (text) => text.replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');

/**
 * @returns {Promise<string>} chart.js as a classic script; the package does not export that file, so it is read from
 *   the folder of its entry
 */
async function chartSource() {
  const entry = createRequire(import.meta.url).resolve('chart.js');
  const source = await readFile(join(dirname(entry), 'chart.umd.min.js'), 'utf8');
  return inScript(source.replace(/^\/\/# sourceMappingURL=.*$/m, ''));
}

/**
 * @param {string[]} scripts
 * @returns {Promise<string>} the modules as one classic script with a common scope, since ES modules do not load from
 *   file://
 */
async function pageSource(scripts) {
  const texts = await Promise.all(scripts.map((name) => readFile(new URL(name, import.meta.url), 'utf8')));
  const joined = texts.map((text) => text.replace(/^import [\s\S]*?;$/gm, '').replace(/^export /gm, '')).join('\n');
  return inScript(`(() => {\n'use strict';\n${joined}\n})();`);
}

/** @returns {Promise<string>} */
async function styleSource() {
  const texts = await Promise.all(STYLES.map((name) => readFile(new URL(name, import.meta.url), 'utf8')));
  return [paletteStyle(), ...texts, causeStyle()].join('');
}

/** @param {Run} run @returns {string} the load; distinguishes runs of a scenario in the list of runs */
export function loadText(run) {
  return loadTexts(asPlanned(run.scenario, run.plan) ?? run.summary.config ?? {}).join(' · ');
}

/** Scenario name of older runs without a scenario file. */
const FLAGS = 'flags';
/** More servers are counted, not named. */
const MAX_NAMED = 3;

/** @param {Run} run @returns {string} name of the scenario; without one, the servers */
export function titleOf(run) {
  const name = run.summary.scenario;
  if (name !== FLAGS) return name;
  const servers = [
    ...new Set(run.plan?.legs.map(({ series, label }) => series ?? label) ?? run.legs.map(({ label }) => label)),
  ];
  if (servers.length === 0) return name;
  return servers.length <= MAX_NAMED ? servers.join(', ') : `${servers.length} servers`;
}

/**
 * @param {Run} run
 * @param {string} title
 * @returns {string | null} the servers; null if the title names them
 */
function serversText({ summary, plan, legs }, title) {
  const planned = plan?.legs.map(({ series, label }) => series ?? label);
  const names = [...new Set(planned ?? legs.map(({ caseLabel, label }) => caseLabel ?? label))];
  const targets = [...new Set(summary.legs.flatMap(({ targets }) => targets))];
  const isTarget =
    names.length === 1 && targets.length === 1 && summary.legs.every(({ serverModel }) => serverModel === undefined);
  const servers = isTarget && names[0] !== targets[0] ? [`${names[0]} at ${targets[0]}`] : names;
  const text = servers.length <= MAX_NAMED ? servers.join(', ') : `${count(servers.length)} servers`;
  return text === '' || text === title ? null : text;
}

/** @param {Run} run @param {string} title @returns {string} servers, load, duration and time of the run */
function subtitle({ summary, ...run }, title) {
  const { startedAt, endedAt } = summary;
  const durationNs = startedAt && endedAt ? (Date.parse(endedAt) - Date.parse(startedAt)) * 1e6 : 0;
  return [
    serversText({ summary, ...run }, title),
    loadText({ summary, ...run }),
    durationNs > 0 ? duration(durationNs) : null,
    startedAt ? `${startedAt.slice(0, 10)} ${startedAt.slice(11, 16)} UTC` : null,
  ]
    .filter(Boolean)
    .join(' · ');
}

const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path fill='%230072b2' d='M2 3h8v2H2zm0 4h12v2H2zm0 4h6v2H2z'/></svg>";

/**
 * @typedef {object} Content
 * @property {Run} run
 * @property {PageLeg[]} results
 * @property {PageLeg[]} cases  the same as results if no server was measured repeatedly
 * @property {ChartModel} model
 * @property {object} card  the run's entry in the list of runs
 * @property {{ file: string, run: string }} [previous]  an earlier run of the same load
 *
 * @typedef {{ end?: { page: string | null } }} Served  state of a live page; end: set when the run has ended; page:
 *   file name of the report, null if none was made
 */

/**
 * @param {Content['previous']} previous
 * @param {boolean} isServed
 * @returns {Fragment} button for the theme, and links to other runs. A live page has no links, since a browser opens no
 *   files from a served page
 */
const navigation = (previous, isServed) =>
  html`<nav aria-label="Page"><button type="button" id="theme" hidden>Theme</button>${
    previous === undefined || isServed
      ? null
      : html`<a href="./${encodeURIComponent(previous.file)}" data-run="${previous.run}" title="${previous.run}">Previous run</a>`
  }${isServed ? null : html`<a href="./index.html#runs">All runs</a>`}</nav>`;

/** @param {NonNullable<Served['end']>} end @param {string} folder @returns {Fragment} */
const notice = ({ page }, folder) =>
  html`<p class="notice" role="note" id="served" data-code="served">The run is over, and this page cannot be loaded again from here. ${
    page === null
      ? html`No report was made; the files of the run are in <code>${folder}</code>.`
      : html`The report is the file <code>${page}</code>.`
  }</p>`;

/**
 * @param {Content} content @param {Served} [served]
 * @returns {Promise<string>} the part of the page that depends on the run, replaced at each update of a live page
 */
export async function bodyOf({ run, results, cases, model, previous }, served) {
  const name = titleOf(run);
  const figures = isAlone(run) ? keyFigures(run) : null;
  const several = figures === null ? await import('./sections/of-several.js') : null;
  const functions = explained(run, served === undefined);
  // A curve answers the question of a sweep or a search, so it comes first.
  const areChartsFirst = model.charts.some(({ id }) => id.startsWith('sweep-') || id.startsWith('search-'));
  return keepUnits(
    html`<header>${served?.end ? notice(served.end, run.folder) : null}<div><h1>${name}</h1><p class="subtitle">${subtitle(run, name)}</p>${navigation(previous, served !== undefined)}</div>${answer(run, figures !== null)}${cautions(run, results, model)}</header>
<main id="results" tabindex="-1">${requests(cases)}${search(run)}${several?.change(run)}${areChartsFirst ? mainCharts(model) : null}${figures ?? several?.servers(run, cases)}${baseline(run)}${several?.bars(cases)}${figures ? null : functions}
<noscript><p class="notice" data-code="no-script">The charts need JavaScript, which is off here. The tables give the same figures.</p></noscript>
${areChartsFirst ? null : mainCharts(model)}${figures ? functions : null}${subjects(run, results, cases, model)}${raw(OTHER_RUNS)}</main>
<footer>${run.scenario?.description ? html`<p>${run.scenario.description}</p>` : null}<p>Run ${run.id}. Made by Broadside from the run folder${served === undefined ? '; this file needs no network' : null}.</p></footer>
${embeddedModel(model)}`.text,
  );
}

/** @param {Content} content @param {boolean} [isServed] true for a live page @returns {Promise<string>} the page */
export async function pageOf(content, isServed = false) {
  const { run, card } = content;
  const added = isServed ? [LIVE_SCRIPT] : run.profiles ? [FLAME_SCRIPT] : [];
  const sources = [styleSource(), chartSource(), pageSource([...SCRIPTS, ...added])];
  const [style, chart, script] = await Promise.all(sources);
  const body = await bodyOf(content, isServed ? {} : undefined);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="broadside-run" content="${JSON.stringify(card)}">
<meta http-equiv="Content-Security-Policy" content="${raw(policyOf([chart, script], isServed))}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${titleOf(run)} · ${run.id} · Broadside</title><link rel="icon" href="${ICON}"><style>${raw(style)}</style></head>
<body><a class="skip" href="#results">Skip to the results</a><div id="page">${raw(body)}</div>
<script>${raw(chart)}</script><script>${raw(script)}</script></body></html>
`.text;
}

/** @param {Chart} chart @returns {object[]} its panels without the texts that the page already has */
const panelsOf = ({ panels }) => panels.map(({ alt: _alt, note: _note, ...panel }) => panel);

/**
 * The chart model as JSON: one element for the page, and one for the panels of each chart, which the script reads when
 * it first draws the chart. Texts that the page already has are omitted.
 * @param {ChartModel} model
 * @returns {Fragment}
 */
function embeddedModel({ charts, ...page }) {
  const heads = charts.map(({ panels: _panels, lead: _lead, ...head }) => head);
  return html`<script type="application/json" id="chart-model">${json({ ...page, charts: heads })}</script>${charts.map(
    (chart) => html`
<script type="application/json" id="chart-model-${chart.id}">${json(panelsOf(chart))}</script>`,
  )}`;
}

/** @param {string} script text between the tags @returns {string} source expression that allows the script */
const sourceOf = (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

/**
 * @param {string[]} scripts of the page @param {boolean} isServed true for a live page
 * @returns {string} content security policy that allows these scripts only, and no request; a live page may request
 *   from its server
 */
function policyOf(scripts, isServed) {
  return [
    "default-src 'none'",
    // Bars have their widths and places in style attributes.
    "style-src 'unsafe-inline'",
    `script-src ${scripts.map(sourceOf).join(' ')}`,
    'img-src data:',
    ...(isServed ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** @param {Run} run in progress @returns {string} such as "In progress: measurement 2 of 3 (epoll), 0:34 of 1:12." */
function progressText({ legs, plan }) {
  const { mostLegs } = plan?.search ?? plan?.compareAt ?? {};
  const of = mostLegs === undefined ? String(legs.length) : `up to ${mostLegs}`;
  const running = legs.filter(({ summary }) => summary?.endedBy === 'running');
  if (running.length === 0) {
    const ended = legs.filter(({ summary }) => summary !== null).length;
    return ended === 0
      ? 'In progress: the first measurement has not begun.'
      : `In progress: ${ended} of ${of} measurements ended.`;
  }
  const [{ index, label, planned, summary }] = running;
  const last = index + running.length;
  const which =
    running.length === 1
      ? `measurement ${last} of ${of} (${label})`
      : `measurements ${index + 1} ${running.length === 2 ? 'and' : 'to'} ${last} of ${of}`;
  const until = planned === null ? '' : ` of ${clock(planned.steadyToNs / 1e9)}`;
  return `In progress: ${which}, ${clock((summary?.phases?.endNs ?? 0) / 1e9)}${until}.`;
}

/**
 * @param {Run} run @param {boolean} hasFigures whether the key figures follow the headline
 * @returns {Fragment} the headline; for a run in progress, its progress
 */
function answer(run, hasFigures) {
  const isRunning = run.summary.endedBy === 'running';
  const parts = isRunning ? [{ code: 'running', severity: 'answer', text: progressText(run) }] : answerOf(run.summary);
  const shown = parts.filter(({ code }) => !(hasFigures && parts.length > 1 && code === 'figures'));
  return html`<section id="answer" aria-label="Answer">${shown.map(
    ({ code, severity, text }) => html`<p class="${severity}" data-code="${code}">${text}</p>`,
  )}</section>`;
}
