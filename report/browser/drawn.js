/**
 * Runs in the page: which legs the charts show. Of many legs only some are drawn at first.
 */

import { makeSpares } from './spares.js';

/** @import { ChartModel, Drawn } from './types.js' */

/** Legs that are drawn, by their place in the model. @type {Set<number>} */
export const drawnLegs = new Set();

/** The leg whose button is under the pointer or has the focus: the others step back. @type {{ leg: number | null }} */
export const pointed = { leg: null };

/** @param {ChartModel} page the chart model @returns {Set<number>} */
export function firstLegs(page) {
  const all = page.legs.map((leg, at) => (!page.many || leg.drawn ? at : -1));
  return new Set(all.filter((at) => at >= 0));
}

/** @param {Set<number>} places of the legs that are drawn from now on */
export function chooseLegs(places) {
  drawnLegs.clear();
  for (const at of places) drawnLegs.add(at);
  showChoice();
}

/** Lines of other legs than the one pointed at are drawn faintly. */
export const pointedPlugin = {
  id: 'pointed',
  beforeDatasetDraw(/** @type {Drawn} */ chart, /** @type {{ index: number }} */ { index }) {
    const { leg, ownColour } = chart.data.datasets[index];
    chart.ctx.save();
    if (pointed.leg !== null && !ownColour && leg !== undefined && leg !== pointed.leg) chart.ctx.globalAlpha = 0.12;
  },
  afterDatasetDraw(/** @type {Drawn} */ chart) {
    chart.ctx.restore();
  },
};

/** @param {string | undefined} list of places @returns {number[]} */
const placesOf = (list) => (list ? list.split(',').map(Number) : []);

/** Buttons, strip and panels say what is drawn. */
function showChoice() {
  makeSpares(drawnLegs);
  const all = (/** @type {string} */ selector) =>
    /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(selector));
  for (const one of all('[data-toggle]')) {
    one.setAttribute('aria-pressed', String(drawnLegs.has(Number(one.dataset.toggle))));
  }
  for (const one of all('[data-drawn]')) one.hidden = !drawnLegs.has(Number(one.dataset.drawn));
  const count = document.getElementById('drawn-count');
  if (count) count.textContent = String(drawnLegs.size);
}

/** @param {HTMLElement} button @returns {boolean} whether it changed what is drawn */
function choose({ dataset }) {
  const { toggle, draw } = dataset;
  if (toggle !== undefined) {
    if (!drawnLegs.delete(Number(toggle))) drawnLegs.add(Number(toggle));
  } else if (draw !== undefined) {
    drawnLegs.clear();
    for (const at of placesOf(draw)) drawnLegs.add(at);
  } else return false;
  return true;
}

/**
 * @param {() => void} changed what is drawn
 * @param {() => void} repainted the same, with another leg pointed at
 */
export function listenToChoice(changed, repainted) {
  document.addEventListener('click', ({ target }) => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest('button'));
    if (!button || !choose(button)) return;
    pointed.leg = null;
    showChoice();
    changed();
  });
  const point = (/** @type {Event} */ { type, target }) => {
    // the document itself can have the focus
    const button =
      target instanceof HTMLElement ? /** @type {HTMLElement | null} */ (target.closest('[data-toggle]')) : null;
    const left = button === null || type === 'pointerout' || type === 'focusout';
    const leg = left || !drawnLegs.has(Number(button.dataset.toggle)) ? null : Number(button.dataset.toggle);
    if (leg === pointed.leg) return;
    pointed.leg = leg;
    repainted();
  };
  for (const type of ['pointerover', 'pointerout', 'focusin', 'focusout']) document.addEventListener(type, point);
}
