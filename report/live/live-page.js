/** The page that shows a run while it is in progress: the style, the scripts and the figures of the report, filled by events. */
import { html, json } from '../html/html.js';
import { keepUnits } from '../html/units.js';
import { figure } from '../html/sections/charts.js';
import { chartSource, LIVE_SCRIPT, LIVE_STYLE, pageSource, SCRIPTS, STYLES, styleSource } from '../html/page.js';

/** @typedef {{ title: string }} Column  of the table of the latest figures */

/**
 * @param {{ title: string, columns: readonly Column[] }} content
 * @returns {Promise<Record<string, { type: string, text: string }>>} the page, by '', and what it loads, by name
 */
export async function liveDocuments(content) {
  const [style, chart, script] = await Promise.all([
    styleSource([...STYLES, LIVE_STYLE]),
    chartSource(),
    pageSource([...SCRIPTS, LIVE_SCRIPT]),
  ]);
  const javascript = 'text/javascript; charset=utf-8';
  return {
    '': { type: 'text/html; charset=utf-8', text: pageOf(content) },
    'live.css': { type: 'text/css; charset=utf-8', text: style },
    'chart.js': { type: javascript, text: chart },
    'live.js': { type: javascript, text: script },
  };
}

/** @param {{ title: string, columns: readonly Column[] }} content @returns {string} */
function pageOf({ title, columns }) {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title} · live · Broadside</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="live.css"></head>
<body class="live"><header><h1>${title}</h1>
<p class="subtitle" id="live-run"></p>
<p class="live-state" id="live-state" role="status" data-code="connecting">Connecting …</p></header>
<main><section id="live-end" hidden></section>
<section aria-labelledby="now-title"><h2 id="now-title">Now</h2><div class="scroll" tabindex="0" role="region" aria-label="Latest figures"><table class="live-now"><thead><tr><th scope="col">leg</th>${columns.map(
    ({ title: name }) => html`<th scope="col">${name}</th>`,
  )}</tr></thead><tbody id="live-now"></tbody></table></div>
<ul class="live-notes" id="live-notes"></ul></section>
<section id="charts" aria-labelledby="charts-title"><h2 id="charts-title">Charts</h2>
<p class="lead">Time is counted from the start of each leg. The leg in progress and up to five before it are shown; the report has all of them.</p>
<div id="live-figures"></div></section></main>
<noscript><p class="notice" data-code="no-script">This page needs JavaScript, which is off here.</p></noscript>
<script type="application/json" id="chart-model">${json({ legs: [], charts: [], many: false })}</script>
<script src="chart.js"></script><script src="live.js"></script></body></html>
`.text;
}

/** @param {import('./live-model.js').LiveCharts} model @returns {string} the figures, without a point */
export const liveFigures = (model) =>
  keepUnits(html`<div class="charts">${model.charts.map((chart) => figure(chart, model))}</div>`.text);

/**
 * A browser opens no file from a page that was served: links to other pages of the folder are left out at the top, and are plain text elsewhere.
 * @param {string} text the page @param {string} path its file
 * @returns {string} the same, with a notice above its title that names the file
 */
export function servedReport(text, path) {
  const scripts = text.indexOf('<script');
  const end = scripts < 0 ? text.length : scripts;
  const notice = html`<p class="notice" role="note" id="served" data-code="served">The run is over, and its live page has ended: this page cannot be loaded again from here. It is the file <code>${path}</code>, in which the links to other runs work.</p>`;
  const shown = text
    .slice(0, end)
    .replace(/<nav [\s\S]*?<\/nav>/, (nav) => nav.replace(/<a [\s\S]*?<\/a>/g, ''))
    .replace(/ href="\.\/[^"]*"/g, '')
    .replace('<header>', () => `${notice}<header>`);
  return shown + text.slice(end);
}
