/**
 * Dashes and point marks of lines that share a plot, so that they differ by more than colour. The generator draws
 * legends with this module, and the page's script contains it.
 */
import { COLOURS } from './palette.js';

const DASHES = [[], [7, 3], [2, 2.5], [9, 3, 2, 3], [4, 4], [12, 4], [1, 3], [6, 2, 1, 2, 1, 2]];
const MARKS = ['circle', 'rect', 'triangle', 'rectRot', 'crossRot', 'star', 'rectRounded', 'cross'];

/**
 * Colours repeat after COLOURS places, together with dashes and marks after 96.
 * @param {number} place @returns {number} index into DASHES and MARKS
 */
const turned = (place) => (place + 3 * Math.floor(place / COLOURS)) % DASHES.length;

/** @param {number} place among dashes and marks @returns {number[]} */
export const dashOf = (place) => DASHES[turned(place)];

/** @param {number} place among dashes and marks @returns {string} a point style of chart.js */
export const markOf = (place) => MARKS[turned(place)];

/** A chart with more lines has no interval bars: they would hide the lines. */
export const MOST_WITH_BARS = 8;
