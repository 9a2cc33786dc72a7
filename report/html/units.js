/**
 * Prevents line breaks within a value or an option: `1 KiB` gets a non-breaking space, `--budget 3m` an element that
 * does not wrap.
 */

const NO_BREAK = '\u00a0';

/** Parts of a page. Tags, scripts, styles and text to copy stay unchanged. */
const PARTS = /<(script|style|pre|code)\b[^>]*>[\s\S]*?<\/\1>|<[^>]*>|[^<]+/g;
const UNITS = /(\d) (?=(?:[nµm]?s|min|h|[kMGT]?B(?:\/s)?|[KMG]iB|%)(?![\w]))/g;
/** An option, and its value if that is a number. */
const OPTIONS = /(?<![\w-])(?:--[a-z][\w-]*|-[a-zA-Z](?= \d))(?: \d[\w.]*)?(?![\w-])/g;

/** @param {string} text between two tags @returns {string} */
const withoutBreaks = (text) =>
  text.replace(OPTIONS, (option) => `<span class="kept">${option}</span>`).replace(UNITS, `$1${NO_BREAK}`);

/** @param {string} page finished HTML @returns {string} */
export const keepUnits = (page) => page.replace(PARTS, (part) => (part.startsWith('<') ? part : withoutBreaks(part)));
