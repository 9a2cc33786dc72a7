// Names of runs and legs as they are in ids and names of folders. Pure.

/**
 * @param {string} name
 * @returns {string} letters, digits, dots, dashes and underscores; empty where it has none that can stay
 */
export const slugOf = (name) =>
  name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
