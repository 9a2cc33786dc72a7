// Warnings that say the same of several servers, for the console. Pure.
// The one thing to know: plan and summary keep each of them; the page of the report groups them in the same way.

/** @param {string} text @returns {string} without its figures, and what they count */
const withoutFigures = (text) => text.replace(/\d[\d.,]*/g, '#').replace(/processes|threads/g, '#');

/**
 * What is said of several legs in the same words, but for the figures, is said once, with all their names.
 * @param {string[]} warnings
 * @param {{ label: string, series?: string }[]} legs
 * @returns {string[]}
 */
export function saidOnce(warnings, legs) {
  const names = [...new Set(legs.map(({ label, series = label }) => series))].sort((a, b) => b.length - a.length);
  /** @type {Map<string, { name: string, text: string }[]>} */
  const alike = new Map();
  for (const warning of warnings) {
    const name = names.find((one) => warning.startsWith(`${one}: `));
    const text = name === undefined ? warning : warning.slice(name.length + 2);
    const key = name === undefined ? warning : `: ${withoutFigures(text)}`;
    alike.set(key, [...(alike.get(key) ?? []), { name: name ?? '', text }]);
  }
  return [...alike.values()].map(([{ name, text }, ...others]) => {
    if (name === '') return text;
    if (others.length === 0) return `${name}: ${text}`;
    const same = others.every((one) => one.text === text);
    return `${name}: ${text} Likewise${same ? '' : ', with figures of their own'}: ${others.map((one) => one.name).join(', ')}.`;
  });
}
