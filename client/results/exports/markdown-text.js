// Text in Markdown. Pure.

/** @param {string} text @returns {string} as one line that Markdown shows as it is */
export const escapeMarkdown = (text) => text.replace(/\s*\n\s*/g, ' ').replace(/[\\`*_<>|[\]]/g, '\\$&');
