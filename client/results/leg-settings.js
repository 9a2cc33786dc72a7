// The settings of one leg. Legs of a scenario with tests differ in some keys: the plan of such a leg carries those, resolved,
// as `settings`. The one thing to know: whoever needs a setting of a leg asks here, never the scenario alone. Pure.

/**
 * A named set of keys that differ from the scenario's.
 * @typedef {{ as: string, given: Record<string, unknown>, settings: Record<string, any> }} Test  given: by dotted key, as
 *   written; settings: the resolved keys that differ
 */

/**
 * @template {object} T
 * @param {T} scenario as resolved @param {{ settings?: Record<string, any> } | null} [leg] of its plan
 * @returns {T} what holds in that leg
 */
export const settingsOf = (scenario, leg) =>
  leg?.settings === undefined ? scenario : { ...scenario, ...leg.settings };

/**
 * @param {{ tests?: Test[] | null }} scenario as resolved
 * @returns {Set<string>} its resolved keys that are not the same in every leg; a sweep's apart
 */
export const variedKeys = ({ tests }) => new Set((tests ?? []).flatMap(({ settings }) => Object.keys(settings)));

/**
 * @param {Record<string, any>} base as resolved @param {Record<string, any>} other likewise
 * @returns {Record<string, any>} the keys of the other whose values differ
 */
export const differingKeys = (base, other) =>
  Object.fromEntries(
    Object.entries(other).filter(([key, value]) => JSON.stringify(base[key]) !== JSON.stringify(value)),
  );

/** @param {Test} test @returns {string} its keys, as written, such as: payload 1B, ramp.add 1000 */
export const testText = ({ given }) =>
  Object.entries(given)
    .map(([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
