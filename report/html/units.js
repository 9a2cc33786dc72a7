/**
 * No line of the page ends within a value or an option: `1 KiB` has a non-breaking space, `--budget 3m` is an element
 * that keeps together.
 */

const NO_BREAK = '\u00a0';

/** Scripts, styles, and what is to be copied stay as they are; so do tags, with their attributes. */
const PARTS = /<(script|style|pre|code)\b[^>]*>[\s\S]*?<\/\1>|<[^>]*>|[^<]+/g;
const UNITS = /(\d) (?=(?:[nµm]?s|min|h|[kMGT]?B(?:\/s)?|[KMG]iB|%)(?![\w]))/g;
/** An option, with its value where that is a number. */
const OPTIONS = /(?<![\w-])(?:--[a-z][\w-]*|-[a-zA-Z](?= \d))(?: \d[\w.]*)?(?![\w-])/g;

/** @param {string} text between two tags @returns {string} */
const kept = (text) =>
  text.replace(OPTIONS, (option) => `<span class="kept">${option}</span>`).replace(UNITS, `$1${NO_BREAK}`);

/** @param {string} page finished HTML @returns {string} */
export const keepUnits = (page) => page.replace(PARTS, (part) => (part.startsWith('<') ? part : kept(part)));
