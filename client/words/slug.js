// Converts names of runs and legs for ids and names of folders.

/**
 * @param {string} name
 * @returns {string} letters, digits, dots, dashes and underscores; may be ''
 */
export const slugOf = (name) =>
  name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
