// How a leg ends: its cause, its failure and its warnings. The first cause counts, except that an interruption replaces
// any other.
import { warning } from '../../words/warnings.js';

/**
 * @import { EndedBy, Warning } from '../../../config/types.js'
 * @import { ArrowFile } from '../../store/transfer-log/convert.js'
 * @import { TlsFailure } from '../../words/tls-failure.js'
 */

/**
 * @typedef {{ endedBy: EndedBy, failure?: Warning, startNs: number | null,
 *   files: ArrowFile[],
 *   warnings: Warning[] }} Outcome  startNs: relative to t0
 */

export class LegOutcome {
  /** @param {(warning: Warning) => void} onWarning */
  constructor(onWarning) {
    this.onWarning = onWarning;
    /** Null: the leg runs to its planned end. @type {EndedBy | null} */
    this.endedBy = null;
    /** @type {Warning | undefined} */
    this.failure = undefined;
    /** @type {Warning[]} */
    this.warnings = [];
    /** Reported failures of TLS, as JSON. @type {Set<string>} */
    this.tlsFailures = new Set();
  }

  /** @param {EndedBy} endedBy @param {Warning} [failure] */
  decide(endedBy, failure) {
    if (endedBy === 'interrupted' || this.endedBy === null) Object.assign(this, { endedBy, failure });
  }

  /** The leg continues, but is no longer complete. @param {Warning} failure */
  markIncomplete(failure) {
    this.decide('workers', failure);
  }

  /**
   * The leg cannot continue. A leg that already ends for another cause keeps that cause.
   * @param {EndedBy} endedBy
   * @param {Warning} failure
   */
  fail(endedBy, failure) {
    this.endedBy ??= endedBy;
    this.failure ??= failure;
  }

  /**
   * @param {{ isEarly: boolean } & Pick<Outcome, 'startNs' | 'files'>} end  isEarly: the leg's work was complete before
   *   its planned end
   * @returns {Outcome}
   */
  settle({ isEarly, startNs, files }) {
    const { endedBy, failure, warnings } = this;
    return { endedBy: endedBy ?? (isEarly ? 'done' : 'plan'), failure, startNs, files, warnings };
  }

  /** @param {Warning} problem */
  warn(problem) {
    this.warnings.push(problem);
    this.onWarning(problem);
  }

  /**
   * Warns of each kind of failure once, although every worker reports its first failure.
   * @param {TlsFailure | undefined} failure
   */
  warnOfTlsFailure(failure) {
    const kind = JSON.stringify(failure);
    if (failure === undefined || this.tlsFailures.has(kind)) return;
    this.tlsFailures.add(kind);
    this.warn(warning('tls-failed', failure));
  }
}
