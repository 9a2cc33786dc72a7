// Key `stopOn`: conditions that end a leg after they have held for some seconds. The drain is ignored. A second in
// which a figure was not measured resets the time.

import { judgeSample } from './judge.js';
import { conditionOf, splitDuration } from './parse.js';

/**
 * @import { Sample } from '../../../config/types.js'
 * @import { Stopped } from '../../measure/leg-summary.js'
 */

/** The first sample of a leg begins with its first event, a little after its start. */
const SLACK_NS = 0.1e9;

/** The conditions of one leg, and for how long each has held. */
export class StopRules {
  /** @param {string[]} texts valid conditions of stopOn */
  constructor(texts) {
    this.rules = texts.map((text) => {
      const { condition, forNs } = splitDuration(text);
      return { condition: conditionOf(condition), forNs, heldNs: 0 };
    });
  }

  /**
   * @param {Sample} sample the leg's next sample @returns {Stopped | null} the first condition that held long enough
   */
  observe(sample) {
    const { phase, fromNs, toNs } = sample;
    if (phase === 'drain' || toNs <= fromNs) return null;
    for (const rule of this.rules) {
      rule.heldNs = judgeSample(rule.condition, sample).holds === true ? rule.heldNs + toNs - fromNs : 0;
      if (rule.heldNs >= rule.forNs - SLACK_NS)
        return { condition: rule.condition.text, forNs: rule.forNs, atNs: toNs };
    }
    return null;
  }
}
