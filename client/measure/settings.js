// The points of a scenario. A scenario with tests or a sweep has several points, each with complete settings for the
// legs that are measured there; any other scenario is its only point. scenario.json and plan.json store the settings of
// a point or a leg once, as the keys that differ from those of the scenario.

/**
 * @import { Axes, Plan as StoredPlan, PlannedLeg as StoredLeg } from '../../config/types.js'
 * @import { Scenario } from '../scenario/scenario.js'
 */

/**
 * @typedef {{ as: string, given: Record<string, unknown> }} Test  a named set of keys; given: by dotted key, as written
 *
 * @typedef {object} Point  a combination of a test and values of a sweep's axes
 * @property {Axes} axes  a value for each axis, as written; by dotted key
 * @property {Record<string, unknown>} given  the values that the point and its test change, as written; by dotted key
 * @property {Scenario} settings  without tests and sweep
 *
 * @typedef {Omit<StoredLeg, 'settings'> & { settings: Scenario }} PlannedLeg
 * @typedef {Omit<StoredPlan, 'settings' | 'legs'> & { legs: PlannedLeg[] }} Plan
 *
 * @typedef {Record<string, unknown> & { points?: (Omit<Point, 'settings'> & { settings: Record<string, unknown> })[] |
 *   null }} StoredScenario  scenario.json
 */

/**
 * @param {Scenario} scenario
 * @returns {Point[]} in the order of the run, at least one
 */
export const pointsOf = (scenario) => scenario.points ?? [{ axes: {}, given: {}, settings: scenario }];

/** @param {unknown} a @param {unknown} b @returns {boolean} whether they are written alike */
const isSame = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

/**
 * @param {Record<string, unknown>} base @param {Record<string, unknown>} settings
 * @returns {Record<string, unknown>} the settings whose values differ from those of the base
 */
const differing = (base, settings) =>
  Object.fromEntries(Object.entries(settings).filter(([key, value]) => !isSame(base[key], value)));

/**
 * @template {{ points?: Point[] | null }} S
 * @param {S} scenario
 * @returns {Partial<Omit<S, 'points'>>} the keys that have one value at all of its points
 */
export function commonOf({ points = null, ...scenario }) {
  if (points === null) return scenario;
  const [first, ...otherSettings] = points.map(({ settings }) => /** @type {Record<string, unknown>} */ (settings));
  const common = Object.entries(first).filter(([key, value]) =>
    otherSettings.every((settings) => isSame(value, settings[key])),
  );
  return /** @type {Partial<Omit<S, 'points'>>} */ (Object.fromEntries(common));
}

/**
 * @param {Scenario} scenario @param {(settings: Scenario) => Scenario} change
 * @returns {Scenario} with that change, at each of its points, too
 */
export const mapSettings = (scenario, change) => ({
  ...change(scenario),
  points: scenario.points?.map((point) => ({ ...point, settings: change(point.settings) })) ?? null,
});

/**
 * @param {Pick<Point, 'axes' | 'settings'>[]} points @param {PlannedLeg[]} legs of them
 * @returns {Pick<Point, 'axes' | 'settings'>[]} with the settings of their legs; points on an axis of connections keep
 *   their own
 */
const plannedPoints = (points, legs) =>
  points.map((point) => {
    const leg = legs.find(({ axes, comparedAt }) => comparedAt === undefined && isSame(axes, point.axes));
    return leg === undefined || 'connections' in point.axes ? point : { ...point, settings: leg.settings };
  });

/**
 * @template {{ points?: Point[] | null } | null} S
 * @param {S} scenario @param {Partial<Plan> | null} plan null, or without connections, if unknown
 * @returns {S} with the load reduced to what the client can have (`force`, or the greatest value of a search)
 */
export const asPlanned = (scenario, plan) =>
  scenario === null || plan?.connections === undefined
    ? scenario
    : {
        ...scenario,
        connections: plan.connections,
        // each point has its own connectRate
        ...(scenario.points
          ? { points: plannedPoints(scenario.points, plan.legs ?? []) }
          : { connectRate: plan.connectRate }),
        find: plan.search ?? null,
      };

/** The keys of a scenario that its points do not have. */
const ALONE = { sweep: null, tests: null, points: null };

/** @param {Partial<Scenario>} scenario @param {Scenario} settings @returns {Partial<Scenario>} differences */
const written = (scenario, settings) => differing({ ...scenario, ...ALONE }, settings);

/**
 * @param {StoredScenario} scenario @param {Record<string, unknown>} settings that differ
 * @returns {Scenario}
 */
const whole = (scenario, settings) => /** @type {Scenario} */ ({ ...scenario, ...ALONE, ...settings });

/**
 * @param {Scenario} scenario @param {Scenario} settings
 * @returns {Scenario} the same settings, which share the objects of the scenario: a list of requests may be long
 */
export const sharing = (scenario, settings) => whole(scenario, written(scenario, settings));

/** @param {Scenario} scenario @returns {StoredScenario} */
export const storedScenario = (scenario) => ({
  ...scenario,
  points:
    scenario.points?.map(({ settings, ...point }) => ({ ...point, settings: written(scenario, settings) })) ?? null,
});

/** @param {StoredScenario} scenario @returns {Scenario} */
export const readScenario = (scenario) =>
  /** @type {Scenario} */ ({
    ...scenario,
    points:
      scenario.points?.map(({ settings, ...point }) => ({ ...point, settings: whole(scenario, settings) })) ?? null,
  });

/** @param {Plan} plan @param {Partial<Scenario>} scenario of it @returns {StoredPlan} */
export function storedPlan({ legs, ...plan }, scenario) {
  const each = new Map(
    [...new Set(legs.map(({ settings }) => settings))].map((settings) => [settings, written(scenario, settings)]),
  );
  const texts = [...new Set([...each.values()].map((differences) => JSON.stringify(differences)))];
  const place = new Map(
    [...each].map(([settings, differences]) => [settings, texts.indexOf(JSON.stringify(differences))]),
  );
  return {
    ...plan,
    settings: texts.map((text) => JSON.parse(text)),
    legs: legs.map(({ settings, ...leg }) => ({ ...leg, settings: /** @type {number} */ (place.get(settings)) })),
  };
}

/**
 * @param {StoredPlan} plan not damaged
 * @param {StoredScenario | null} scenario of it, as read or as written; null if it is missing or damaged
 * @returns {Plan}
 */
export function readPlan({ settings: listed, legs, ...plan }, scenario) {
  const each = listed.map((settings) => whole(scenario ?? {}, settings));
  return {
    ...plan,
    legs: legs.map(({ settings, ...leg }) => ({ ...leg, settings: each[settings] })),
  };
}

/** @param {Test | Point} test @returns {string} its keys, as written, such as: payload 1B, ramp.add 1000 */
export const testText = ({ given }) =>
  Object.entries(given)
    .map(([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
