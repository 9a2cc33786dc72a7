/**
 * Runs in the page. Which palette is in force, and the colours made of it.
 */
import { DARK, LIGHT } from '../model/palette.js';

/** @import { Palette } from './types.js' */

export const printing = { active: false };

const darkScreen = () => window.matchMedia('(prefers-color-scheme: dark)');

/** @returns {boolean} as the reader chose, otherwise as the system has it */
const isDark = () => (document.documentElement.dataset.theme ?? (darkScreen().matches ? 'dark' : 'light')) === 'dark';

/** @returns {Palette} the set in force; paper is always light */
export const currentTheme = () => (isDark() && !printing.active ? DARK : LIGHT);

/** @param {() => void} changed */
export function listenToTheme(changed) {
  const button = document.getElementById('theme');
  if (button) button.hidden = false;
  button?.addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    changed();
  });
  darkScreen().addEventListener('change', changed);
}

/** @param {string} hex @param {number} alpha @returns {string} */
export function fade(hex, alpha) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  return `rgba(${r},${g},${b},${alpha})`;
}

/** @param {Palette} theme @param {number | undefined} place among the colours @returns {string} ink without one */
export const colourAt = (theme, place) => (place === undefined ? theme.ink : theme.legs[place % theme.legs.length]);

/** Of all text in charts, px: --font-small of style/page.css. */
export const SMALL_TEXT = 12;

/** @returns {string} the page's font, so that charts and text are one */
export function pageFont() {
  return window.getComputedStyle(document.body).fontFamily;
}
