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

/** @param {LegFinding} finding @returns {string} such as " (in 2 of 3 rounds)"; empty with one round */
export const roundsText = ({ rounds, of }) => (of === 1 ? '' : ` (in ${rounds} of ${of} rounds)`);

/** @param {LegFinding} finding @returns {string} with its remedy */
export const findingText = ({ text, remedy, ...found }) =>
  `${text}${roundsText(/** @type {any} */ (found))}${remedy === undefined ? '' : ` ${remedy}`}`;
