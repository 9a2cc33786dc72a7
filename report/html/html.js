/** HTML by tagged template. Every value is escaped unless it is a fragment. */

/** A piece of finished HTML. */
export class Fragment {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * @param {unknown} value
 * @returns {string} text of a fragment; joined items of a list; '' for null, undefined and false; else escaped text
 */
function render(value) {
  if (value instanceof Fragment) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  if (value === null || value === undefined || value === false) return '';
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** @param {TemplateStringsArray} strings @param {...unknown} values @returns {Fragment} */
export function html(strings, ...values) {
  return new Fragment(strings.reduce((text, string, i) => text + render(values[i - 1]) + string));
}

/** @param {string} text finished HTML, style or script, not escaped @returns {Fragment} */
export function raw(text) {
  return new Fragment(text);
}

/** @param {unknown} value @returns {Fragment} JSON that is safe inside a script element */
export function json(value) {
  return new Fragment(
    JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'),
  );
}
