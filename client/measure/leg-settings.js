// The settings of one leg. Legs of a scenario with tests or a sweep differ in some keys: the plan of such a leg carries
// those, resolved, as `settings`. Whoever needs a setting of a leg asks here, never the scenario alone. Pure.

/** @import { Axes } from '../../config/types.js' */

/**
 * A named set of keys that differ from the scenario's.
 * @typedef {{ as: string, given: Record<string, unknown>, settings: Record<string, any> }} Test  given: by dotted key,
 *   as written; settings: the resolved keys that differ
 */

/**
 * A point of a sweep: a value of each of its axes.
 * @typedef {{ axes: Axes, given: Record<string, unknown>, settings: Record<string, any> }} Point  axes:
 *   the values as written, by dotted key; the rest as in a test
 */

/** @typedef {Point} Variant  what some legs of a scenario have in common: those of a test or of a point of its sweep */

/**
 * @param {{ tests?: Test[] | null, points?: Point[] | null }} scenario as resolved
 * @returns {Variant[] | null} in the order of the run; null: its legs differ in the server alone
 */
export const variantsOf = ({ tests, points }) =>
  points ?? tests?.map(({ as, given, settings }) => ({ axes: { test: as }, given, settings })) ?? null;

/**
 * @param {Record<string, any>} scenario as resolved
 * @returns {Record<string, any>} its keys, except those that list variants
 */
export const withoutVariants = ({ tests: _, sweep: __, points: ___, ...own }) => own;

/**
 * @template {object} S
 * @param {S} scenario as resolved @param {{ settings: Record<string, any> }} variant
 * @returns {S & { tests: null, sweep: null, points: null }} what its legs have in common, as a scenario of its own
 */
export const variantScenario = (scenario, variant) => ({
  ...settingsOf(scenario, variant),
  ...{ tests: null, sweep: null, points: null },
});

/**
 * @template {object} T
 * @param {T} scenario as resolved @param {{ settings?: Record<string, any> } | null} [leg] of its plan
 * @returns {T} what holds in that leg
 */
export const settingsOf = (scenario, leg) =>
  leg?.settings === undefined ? scenario : { ...scenario, ...leg.settings };

/**
 * @param {{ tests?: Test[] | null, points?: Point[] | null }} scenario as resolved
 * @returns {Set<string>} its resolved keys that are not the same in every leg
 */
export const variedKeys = (scenario) =>
  new Set((variantsOf(scenario) ?? []).flatMap(({ settings }) => Object.keys(settings)));

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
