/**
 * Where the CPU time of servers, or its difference, comes from: the functions as a table, and a flame graph, which the
 * page's script draws.
 */
import { explainedTexts } from '../../../client/judge/explained/texts.js';
import { count, duration } from '../../../client/words/format.js';
import { flameGraphs } from '../../model/flame-graph.js';
import { html, json } from '../html.js';

/**
 * @import { ExplainedRow } from '../../../client/judge/explained/texts.js'
 * @import { FlameGraph, Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/** Functions of each table. */
const MAX_FUNCTIONS = 10;
/** More servers are folded. */
const MAX_OPEN = 2;

/** @param {ExplainedRow[]} rows @param {string} label for screen readers @returns {Fragment | null} */
function table(rows, label) {
  if (rows.length === 0) return null;
  const hasRange = rows.some(({ range }) => range !== '');
  const cell = (/** @type {string} */ name, /** @type {string} */ text) => html`<td data-name="${name}">${text}</td>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="functions"><thead><tr><th scope="col">function</th><th scope="col">CPU per request</th>${
    hasRange ? html`<th scope="col">interval</th>` : null
  }<th scope="col">share</th><td></td></tr></thead><tbody>${rows.map(
    ({ name, value, range, share, remark }) =>
      html`<tr><th scope="row">${name}</th><td data-name="CPU per request"><b>${value}</b></td>${hasRange ? cell('interval', range) : null}${cell('share', share)}${cell('remark', remark)}</tr>`,
  )}</tbody></table></div>`;
}

/** @param {FlameGraph} graph @param {number} i @returns {Fragment} */
function figure({ sides: [head, base], largest, alt }, i) {
  const [lead, legend] =
    base === undefined
      ? [
          `A bar is as wide as the CPU time per request of ${head} in the function and in what it calls, which is below it.`,
          html`<li class="flame-scale"><span>0</span><i class="self"></i><span>${duration(largest)} in the function itself</span></li>`,
        ]
      : [
          `A bar is as wide as the CPU time per request of ${head} in the function and in what it calls, which is below it; a hatched bar is of a function that only ${base} calls, as wide as its CPU time there.`,
          html`<li class="flame-scale"><span>${duration(largest)} less in ${head}</span><i></i><span>${duration(largest)} more</span></li><li><i class="swatch only-base"></i>only in ${base}</li>`,
        ];
  return html`<article class="figure flame" aria-labelledby="figure-flame-${i}"><div class="figure-head"><h3 id="figure-flame-${i}">${base === undefined ? head : `${head} against ${base}`}, by call stack</h3><div class="flame-search" hidden><input type="search" placeholder="Find a function" aria-label="Find a function"><output></output></div></div>
<p class="lead">${lead} <span class="flame-keys">A click or <kbd>Enter</kbd> enlarges a bar, <kbd>Esc</kbd> shows all again.</span></p><ul class="legend">${legend}</ul>
<div class="flame-plot"><canvas id="flame-${i}" role="application" tabindex="0" aria-label="${alt}">${alt}</canvas></div><output class="unseen"></output></article>`;
}

/**
 * @param {Run} run @param {boolean} hasGraphs false for a page without their script
 * @returns {Fragment | null} null unless servers were profiled
 */
export function explained({ summary, profiles }, hasGraphs) {
  if (summary.explained === undefined) return null;
  const { cases, costs = [], differences = [] } = summary.explained;
  const { texts, notes } = explainedTexts(summary.explained, MAX_FUNCTIONS);
  const labelOf = (/** @type {string} */ id) => cases.find((profiled) => profiled.case === id)?.label ?? id;
  const { graphs, left } = flameGraphs(hasGraphs ? (profiles ?? []) : [], labelOf);
  const explainedCases = [...differences, ...costs].map(({ case: id }) => id);
  const isFolded = texts.length > MAX_OPEN;
  const graphOf = (/** @type {string} */ id) =>
    graphs.flatMap((graph, i) => (graph.case === id ? [figure(graph, i)] : []));
  const parts = texts.map(({ lead, rows }, i) => {
    const content = html`${table(rows, `Functions: ${lead}`)}${graphOf(explainedCases[i])}`;
    return isFolded
      ? html`<details><summary>${lead}</summary>${content}</details>`
      : html`<p class="lead">${lead}.</p>${content}`;
  });
  const others = graphs.map((graph) => graph.case).filter((id) => !explainedCases.includes(id));
  return html`<section id="explained" aria-labelledby="explained-title"><h2 id="explained-title">${
    cases.length > 1 ? 'Where the difference comes from' : 'Where CPU time goes'
  }</h2>${parts}${others.map(graphOf)}${notes.map((note) => html`<p class="foot">${note}</p>`)}${
    left === 0
      ? null
      : html`<p class="foot">${count(left)} more flame graphs are not drawn, to keep the page small.</p>`
  }${graphs.length === 0 ? null : html`<script type="application/json" id="flame-model">${json(graphs)}</script>`}</section>`;
}
