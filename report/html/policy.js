/** The content security policy of a page: no script but those the page was made with, and no request; of a live page, to its server. */
import { createHash } from 'node:crypto';

/** @param {string} script as it is between its tags @returns {string} the source that allows it */
const sourceOf = (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

/** @param {string[]} scripts of the page; one with another text does not run @param {boolean} isServed as the live page @returns {string} */
export function policyOf(scripts, isServed) {
  return [
    "default-src 'none'",
    // Widths and places of bars are style attributes.
    "style-src 'unsafe-inline'",
    `script-src ${scripts.map(sourceOf).join(' ')}`,
    'img-src data:',
    ...(isServed ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
