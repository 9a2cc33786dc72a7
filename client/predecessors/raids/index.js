// What raids adds: its files of rates.

/** @type {import('../index.js').Predecessor} */
export const raids = { formats: () => import('./rates.js') };
