/** No line of the page ends between a number and its unit: `1 KiB` has a non-breaking space there. */

const NO_BREAK = '\u00a0';

/** Scripts, styles, and what is to be copied stay as they are; so do tags, with their attributes. */
const PARTS = /<(script|style|pre|code)\b[^>]*>[\s\S]*?<\/\1>|<[^>]*>|[^<]+/g;
const UNITS = /(\d) (?=(?:[nµm]?s|min|h|[kMGT]?B(?:\/s)?|[KMG]iB|%)(?![\w]))/g;

/** @param {string} page finished HTML @returns {string} */
export const keepUnits = (page) =>
  page.replace(PARTS, (part) => (part.startsWith('<') ? part : part.replace(UNITS, `$1${NO_BREAK}`)));
