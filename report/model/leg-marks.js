/**
 * Line dashes and point marks of lines over one another, so that colour is never the only
 * difference. Used on both sides: the generator draws legends from it, the page gets the same text inlined.
 */
import { COLOURS } from './palette.js';

const DASHES = [[], [7, 3], [2, 2.5], [9, 3, 2, 3], [4, 4], [12, 4], [1, 3], [6, 2, 1, 2, 1, 2]];
const MARKS = ['circle', 'rect', 'triangle', 'rectRot', 'crossRot', 'star', 'rectRounded', 'cross'];

/**
 * Where colours begin anew, dashes and marks do not: no two of 96 places are alike.
 * @param {number} place @returns {number}
 */
const turned = (place) => (place + 3 * Math.floor(place / COLOURS)) % DASHES.length;

/** @param {number} place among dashes and marks @returns {number[]} */
export const dashOf = (place) => DASHES[turned(place)];

/** @param {number} place among dashes and marks @returns {string} a point style of chart.js */
export const markOf = (place) => MARKS[turned(place)];

/** The intervals of more lines would hide the lines. */
export const MOST_WITH_BARS = 8;
