// A URL as it may be shown and recorded: without the name and password that it may hold. Pure.

/** @param {string} text a URL, or any other word @returns {string} */
export const withoutLogin = (text) => text.replace(/\/\/[^/?#]*@/, '//...@');
