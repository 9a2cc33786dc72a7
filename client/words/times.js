// How often something happened, in words. Pure.

import { count } from './format.js';

const WORDS = ['', 'once', 'twice'];

/** @param {number} n at least 1 @returns {string} once, twice, 3 times */
export const timesText = (n) => WORDS[n] ?? `${count(n)} times`;
