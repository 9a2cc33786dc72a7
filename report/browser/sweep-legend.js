/** Runs in the page. One legend serves all charts of a sweep: the server pointed at in it is highlighted in each of them. */
import { pointed } from './drawn.js';
import { unswept } from './view.js';

/**
 * @param {import('./types.js').ChartModel} page the chart model
 * @param {(ids: string[]) => void} changed lines of these charts
 * @param {() => void} repainted with another leg pointed at
 */
export function listenToSweep(page, changed, repainted) {
  const ids = page.charts.filter(({ section, ownLines }) => section === 'sweep' && !ownLines).map(({ id }) => id);
  const buttons = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('button[data-swept]'));
  const show = (/** @type {HTMLElement} */ button, /** @type {boolean} */ on) => {
    button.setAttribute('aria-pressed', String(on));
    for (const id of ids) unswept[on ? 'delete' : 'add'](`${id}:${button.dataset.swept}`);
  };
  const redraw = () => {
    pointed.leg = null;
    changed(ids);
  };
  for (const button of buttons) {
    button.addEventListener('click', () => {
      show(button, button.getAttribute('aria-pressed') === 'false');
      redraw();
    });
    const point = (/** @type {boolean} */ on) => () => {
      pointed.leg = on && button.getAttribute('aria-pressed') === 'true' ? Number(button.dataset.swept) : null;
      repainted();
    };
    for (const type of ['pointerenter', 'focus']) button.addEventListener(type, point(true));
    for (const type of ['pointerleave', 'blur']) button.addEventListener(type, point(false));
  }
  for (const every of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('button[data-swept-all]'))) {
    every.addEventListener('click', () => {
      for (const button of buttons) show(button, every.dataset.sweptAll === 'true');
      redraw();
    });
  }
}
