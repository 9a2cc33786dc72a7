// Checks the documents of a run's folder by their schemas: no figure is made from a damaged document.

import { validatorOf } from '../../config/validators.js';
import { UsageError } from '../errors.js';
import { checkSchema } from './schema.js';

/**
 * @import { ValidateFunction } from 'ajv'
 * @import { ConnectionField, Density, LegSummary, Plan, RunSummary, Sample } from '../../config/types.js'
 * @import { Environment } from '../store/environment.js'
 * @import { StoredScenario } from './settings.js'
 */

/**
 * @typedef {{ summary: RunSummary, 'leg-summary': LegSummary, plan: Plan, sample: Sample, resolved: StoredScenario,
 *   environment: Environment, density: Density, connections: ConnectionField }} Documents  resolved: scenario.json
 * @typedef {keyof Documents} Kind
 */

/** @type {Map<Kind, ValidateFunction>} */
const validators = new Map();

/** @param {Kind} kind @returns {ValidateFunction} */
function validatorFor(kind) {
  const known = validators.get(kind);
  if (known) return known;
  const validator = validatorOf(kind);
  validators.set(kind, validator);
  return validator;
}

const OTHER_VERSION = '; it may be of another version of Broadside';

/**
 * @param {Kind} kind @param {unknown} document
 * @returns {string | null} the first violation of its schema, such as `legs/0/transfers/count must be >= 0`; null if it
 *   is valid
 */
export function damageOf(kind, document) {
  const validate = validatorFor(kind);
  if (validate(document)) return kind === 'plan' ? withoutSettings(/** @type {Plan} */ (document)) : null;
  const [{ instancePath, keyword, message = 'is wrong', params }] = validate.errors ?? [];
  const place = instancePath.slice(1) || 'it';
  switch (keyword) {
    case 'required':
      return `${place} has no field ${params.missingProperty}${OTHER_VERSION}`;
    case 'additionalProperties':
      return `${place} has an unknown field ${params.additionalProperty}${OTHER_VERSION}`;
    case 'const':
      return `${place} must be ${JSON.stringify(params.allowedValue)}${place === 'schema' ? OTHER_VERSION : ''}`;
    default:
      return `${place} ${message}`;
  }
}

/** @param {Plan} plan valid by its schema @returns {string | null} the first leg whose settings are not in it */
function withoutSettings({ legs, settings }) {
  const place = legs.findIndex((leg) => leg.settings >= settings.length);
  return place === -1 ? null : `legs/${place}/settings must be < ${settings.length}`;
}

/** @param {string} where a path @param {string} damage @param {string} [remedy] @returns {UsageError} */
export const damagedError = (where, damage, remedy = '') =>
  new UsageError(`${where} is damaged: ${damage}${remedy}`, { code: 'EDAMAGED', data: { where, damage } });

const REMEDY = '; move it away, and npm run report makes it again from what the legs have left';

/**
 * @param {string} text of summary.json of a run @param {string} where its path
 * @returns {RunSummary}
 * @throws {UsageError} when it is damaged, or of another schema
 */
export function parseSummary(text, where) {
  const summary = parsed(text, where);
  checkSchema(summary, where);
  const damage = damageOf('summary', summary);
  if (damage !== null) throw damagedError(where, damage, REMEDY);
  return /** @type {RunSummary} */ (summary);
}

/** @param {string} text @param {string} where @returns {unknown} */
function parsed(text, where) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damagedError(where, /** @type {Error} */ (error).message, REMEDY);
  }
}
