/**
 * Runs in the page. Which palette is in force, and the colours made of it.
 */
import { DARK, LIGHT } from '../model/palette.js';

export const printing = { active: false };

/** @returns {import('./types.js').Palette} the set in force; paper is always light */
export function currentTheme() {
  const dark = !printing.active && window.matchMedia('(prefers-color-scheme: dark)').matches;
  return dark ? DARK : LIGHT;
}

/** @param {string} hex @param {number} alpha @returns {string} */
export function fade(hex, alpha) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  return `rgba(${r},${g},${b},${alpha})`;
}

/**
 * @param {import('./types.js').Palette} theme
 * @param {import('./types.js').ChartModel} page the chart model
 * @param {number} leg position among the shown legs
 * @returns {string}
 */
export function legColour(theme, page, leg) {
  return theme.legs[page.legs[leg].color % theme.legs.length];
}

/** Of all text in charts, px: --font-small of style/page.css. */
export const SMALL_TEXT = 12;

/** @returns {string} the page's font, so that charts and text are one */
export function pageFont() {
  return window.getComputedStyle(document.body).fontFamily;
}
