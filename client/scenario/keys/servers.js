// Key `servers`, with `target` and `command` one of the three ways to name what is measured. Pure.

import { defaultOptions } from '../schema.js';
import { wrapOf } from './wrap.js';

/**
 * @import { Wrap } from '../../../config/types.js'
 * @import { ServerEntry, Written } from '../scenario.js'
 */

/**
 * @param {NonNullable<Written['servers']>[number]} entry
 * @param {{instances: number, wrap?: Wrap}} usual  where it does not say
 * @returns {ServerEntry}
 */
export function serverEntryOf(entry, usual) {
  const plain = typeof entry === 'string' ? { name: entry, options: { ...defaultOptions }, env: {} } : entry;
  const { name, as = name, options, env, instances = usual.instances } = plain;
  return { name, as, ...(instances > 1 && { instances }), ...wrapOf(plain.wrap, usual.wrap), options, env };
}
