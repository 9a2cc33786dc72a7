// The findings of a run's legs in the order in which a person should read them. Pure.

/** @typedef {import('../checks/finding.js').Finding} Finding */
/**
 * @typedef {Finding & { label: string, rounds: number, of: number }} LegFinding  label: of the leg; rounds: of how many
 *   rounds it was found in
 */

const ORDER = ['problem', 'caution', 'note'];

/**
 * @param {{ label: string, findings?: Finding[] }[]} legs of a summary
 * @returns {LegFinding[]} the severest first; what was found in several rounds once, as in the first of them
 */
export function findingsOf(legs) {
  /** @type {Map<string, LegFinding>} */
  const found = new Map();
  for (const { label, findings = [] } of legs) {
    for (const one of findings) {
      const key = `${label} ${one.code}`;
      const known = found.get(key) ?? {
        ...one,
        label,
        rounds: 0,
        of: legs.filter((leg) => leg.label === label).length,
      };
      found.set(key, { ...known, rounds: known.rounds + 1 });
    }
  }
  return [...found.values()].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
}

/**
 * @param {{ label: string, findings?: Finding[] }[]} legs of a summary
 * @returns {(LegFinding & { others: string[], rest: LegFinding[] })[]} one for each code, the severest; others: labels of further
 *   servers that have it; rest: their findings
 */
export function groupedFindings(legs) {
  const all = findingsOf(legs);
  return [...new Set(all.map(({ code }) => code))].map((code) => {
    const [first, ...rest] = all.filter((one) => one.code === code);
    return { ...first, others: rest.map(({ label }) => label), rest };
  });
}

/** @param {{ others: string[] }} finding @returns {string} such as " The same, with other figures, for select."; or empty */
const othersText = ({ others }) =>
  others.length === 0 ? '' : ` The same, with other figures, for ${others.join(', ')}.`;

/** @param {LegFinding} finding @returns {string} such as " (in 2 of 3 rounds)"; empty with one round */
export const roundsText = ({ rounds, of }) => (of === 1 ? '' : ` (in ${rounds} of ${of} rounds)`);

/** @param {LegFinding & { others: string[] }} finding @returns {string} with the others that have it, and its remedy */
export const findingText = ({ text, remedy, ...found }) =>
  `${text}${roundsText(/** @type {any} */ (found))}${othersText(found)}${remedy === undefined ? '' : ` ${remedy}`}`;
