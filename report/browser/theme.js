/**
 * Runs in the page. The current palette, and colours made from it.
 */
import { DARK, LIGHT } from '../model/palette.js';

/** @import { Palette } from './types.js' */

export const printing = { active: false };

const darkScreen = () => window.matchMedia('(prefers-color-scheme: dark)');

/** @returns {boolean} the reader's choice; without one, the system's */
const isDark = () => (document.documentElement.dataset.theme ?? (darkScreen().matches ? 'dark' : 'light')) === 'dark';

/** @returns {Palette} the light one for printing */
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

/** @param {Palette} theme @param {number | undefined} place among the colours @returns {string} ink without a place */
export const colourAt = (theme, place) => (place === undefined ? theme.ink : theme.legs[place % theme.legs.length]);

/** Size of all text in charts, px: --font-small of style/page.css. */
export const SMALL_TEXT = 12;

/** @returns {string} font family of the page, for charts too */
export function pageFont() {
  return window.getComputedStyle(document.body).fontFamily;
}
