/**
 * The connection fields, with a square for every connection. The page's script draws them, and plays them over time.
 */
import { connectionFields } from '../../model/connection-field.js';
import { count } from '../../../client/words/format.js';
import { html, json } from '../html.js';
import { legClass } from './leg-name.js';

/**
 * @import { PageField, PageLeg, Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/**
 * @param {PageField[]} fields
 * @returns {Map<string, string>} the legend; key: text of a state that occurs; value: swatch
 */
function fatesOf(fields) {
  const hasCell = (/** @type {PageField} */ { states }, /** @type {string} */ character) =>
    states.some(({ cells }) => cells.includes(character));
  /** @type {Map<string, string>} */
  const key = new Map();
  const waiting = fields.filter((field) => hasCell(field, '.'));
  if (fields.some((field) => hasCell(field, '_'))) key.set('served before, no reply in this time', 'idle');
  for (const { words } of fields.filter((field) => hasCell(field, '-'))) key.set(words.unanswered, 'unanswered');
  for (const { words, isUnknown } of waiting) key.set(words.unasked, isUnknown ? 'unknown' : 'connecting');
  if (fields.some((field) => hasCell(field, '!'))) key.set('lost, or waiting to try again', 'lost');
  if (waiting.some(({ states, connections }) => states[0].requested < connections))
    key.set('not requested yet', 'closed');
  return key;
}

/** @param {PageField} field @param {number} i @param {boolean} isAlone @returns {Fragment} */
function panel({ label, colour, answered, isShort, replies, alt }, i, isAlone) {
  const head = isAlone ? null : html`<h4 class="${legClass(colour)}"><i class="chip"></i>${label}</h4>`;
  return html`<div class="panel field" data-name="${label}">${head}<p class="note${isShort ? ' strong' : ''}">${answered}</p>
<canvas id="field-${i}" role="application" tabindex="0" aria-label="${alt}">${alt}</canvas><output>${replies}</output></div>`;
}

/** @param {Run} run @param {PageLeg[]} cases @returns {Fragment | null} null if no leg has a connection field */
export function connectionField(run, cases) {
  const { fields, left } = connectionFields(run, cases);
  if (fields.length === 0) return null;
  const perSquare = Math.max(...fields.map(({ each }) => each));
  const lead =
    perSquare === 1
      ? 'A square is one connection, in the order in which they were requested.'
      : `A square is up to ${count(perSquare)} connections, in the order in which they were requested; it shows the worst of their states.`;
  return html`<article class="figure fields" aria-labelledby="figure-connection-field"><div class="figure-head"><h3 id="figure-connection-field">What became of each connection</h3></div>
<p class="lead">${lead} The shade of a served connection shows its number of replies in the time shown, relative to the server's median.${
    fields.some(({ isUnknown }) => isUnknown)
      ? ' The log misses some transfers: there may have been more replies than shown.'
      : ''
  }</p>
<ul class="legend"><li class="replies"><span>few replies</span><i></i><span>many</span></li>${[...fatesOf(fields)].map(
    ([text, role]) => html`<li><i class="swatch fate ${role}"></i>${text}</li>`,
  )}</ul>
<div class="field-time" hidden><button type="button">Play</button><input type="range" min="0" aria-label="Time"><output></output></div>
<div class="panels">${fields.map((field, i) => panel(field, i, fields.length === 1))}</div>
${left === 0 ? null : html`<p class="note">${count(left)} more servers are not drawn, to keep the page small.</p>`}
<script type="application/json" id="field-model">${json(fields)}</script></article>`;
}
