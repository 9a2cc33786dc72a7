/** Every connection as a square: the page's script draws them, and plays them over time. */
import { connectionFields } from '../../model/connection-field.js';
import { count } from '../../../client/words/format.js';
import { html, json } from '../html.js';
import { legClass } from './leg-name.js';

/**
 * @import { PageField, PageLeg, Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/** @param {PageField[]} fields @returns {Map<string, string>} the swatch of each fate that occurs, by its words */
function fatesOf(fields) {
  const some = (/** @type {PageField} */ { states }, /** @type {string} */ character) =>
    states.some(({ cells }) => cells.includes(character));
  /** @type {Map<string, string>} */
  const key = new Map();
  const waits = fields.filter((own) => some(own, '.'));
  if (fields.some((own) => some(own, '_'))) key.set('served before, no reply in this time', 'idle');
  for (const own of fields.filter((one) => some(one, '-'))) key.set(own.words.unanswered, 'unanswered');
  for (const { words, isUnknown } of waits) key.set(words.unasked, isUnknown ? 'unknown' : 'connecting');
  if (fields.some((own) => some(own, '!'))) key.set('lost, or waiting to try again', 'lost');
  if (waits.some(({ states, connections }) => states[0].requested < connections))
    key.set('not requested yet', 'closed');
  return key;
}

/** @param {PageField} field @param {number} i @param {boolean} isAlone @returns {Fragment} */
function panel({ label, colour, answered, isShort, replies, alt }, i, isAlone) {
  const head = isAlone ? null : html`<h4 class="${legClass(colour)}"><i class="chip"></i>${label}</h4>`;
  return html`<div class="panel field" data-name="${label}">${head}<p class="note${isShort ? ' strong' : ''}">${answered}</p>
<canvas id="field-${i}" role="application" tabindex="0" aria-label="${alt}">${alt}</canvas><output>${replies}</output></div>`;
}

/** @param {Run} run @param {PageLeg[]} cases @returns {Fragment | null} null where no log tells of the connections */
export function connectionField(run, cases) {
  const { fields, left } = connectionFields(run, cases);
  if (fields.length === 0) return null;
  const most = Math.max(...fields.map(({ each }) => each));
  const lead =
    most === 1
      ? 'A square is one connection, in the order in which they were requested.'
      : `A square is up to ${count(most)} connections, in the order in which they were requested; it shows what became of the worst of them.`;
  return html`<article class="figure fields" aria-labelledby="figure-connection-field"><div class="figure-head"><h3 id="figure-connection-field">What became of each connection</h3></div>
<p class="lead">${lead} The shade of those that were served tells their replies in the time shown, against the median of the server.${
    fields.some(({ isUnknown }) => isUnknown)
      ? ' Some transfers are missing in the log: there may have been more replies than are shown.'
      : ''
  }</p>
<ul class="legend"><li class="replies"><span>few replies</span><i></i><span>many</span></li>${[...fatesOf(fields)].map(
    ([text, role]) => html`<li><i class="swatch fate ${role}"></i>${text}</li>`,
  )}</ul>
<div class="field-time" hidden><button type="button">Play</button><input type="range" min="0" aria-label="Time"><output></output></div>
<div class="panels">${fields.map((field, i) => panel(field, i, fields.length === 1))}</div>
${left === 0 ? null : html`<p class="note">Of ${count(left)} more servers none is drawn, so that the page stays small.</p>`}
<script type="application/json" id="field-model">${json(fields)}</script></article>`;
}
