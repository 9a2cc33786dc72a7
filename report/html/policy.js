/** The content security policy of a page: no request, and no script but those the page was made with. */
import { createHash } from 'node:crypto';

/** @param {string} script as it is between its tags @returns {string} the source that allows it */
const sourceOf = (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

/** @param {string[]} scripts of the page; one with another text does not run @returns {string} */
export function policyOf(scripts) {
  return [
    "default-src 'none'",
    // Widths and places of bars are style attributes.
    "style-src 'unsafe-inline'",
    `script-src ${scripts.map(sourceOf).join(' ')}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
