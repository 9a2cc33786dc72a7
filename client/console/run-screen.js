// The screen during a run, built from the events of the run. Without a screen, messages go to the output between the
// lines.

import { clock } from '../words/format.js';
import { Board } from './board.js';
import { runCourse } from './run-course.js';
import { screenLines } from './screen-lines.js';

/**
 * @import { Plan } from '../measure/settings.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { Progress } from './progress.js'
 * @import { LegCourse } from './run-course.js'
 * @import { Style, Tone } from './terminal-text.js'
 */

const REPORTING = 'writing the report';
/** How many remarks are shown below the servers. */
const MAX_EVENTS = 3;

export class RunScreen {
  /** @param {Progress} progress draws the screen @param {Plan} plan may get more legs during the run */
  constructor(progress, plan) {
    this.progress = progress;
    this.plan = plan;
    this.board = new Board();
    /** Progress of the leg that is measured now. @type {(() => ReturnType<typeof runCourse>) | null} */
    this.course = null;
    /** What the run does while nothing is measured, or why no figures come. @type {string | undefined} */
    this.doing = undefined;
    /** The latest remarks. @type {{ text: string, tone?: Tone }[]} */
    this.events = [];
    /** Address of the live page; null without one. @type {string | null} */
    this.page = null;
    this.isDraining = false;
    /** Ids of legs whose workers have ended. @type {Set<string>} */
    this.ended = new Set();
  }

  /** @returns {string | undefined} what the run does while nothing is measured, if it is known */
  get idle() {
    const { legs, search, compareAt } = this.plan;
    const mayHaveMore = (search ?? compareAt) !== undefined;
    return this.doing ?? (!mayHaveMore && legs.every(({ id }) => this.ended.has(id)) ? REPORTING : undefined);
  }

  /** Whether the screen is shown, in place of lines. */
  get isShown() {
    return this.progress.kind === 'screen';
  }

  open() {
    this.progress.open((terminal, style) => this.lines(terminal, style));
  }

  /** @param {{ columns: number, rows: number }} terminal @param {Style} style @returns {string[]} */
  lines(terminal, style) {
    const { plan, board, events, page, isDraining } = this;
    const course = this.course?.() ?? null;
    const keys = isDraining ? 'Ctrl+C again stops immediately' : 'Ctrl+C ends the run now and keeps what was measured';
    const { legs, search, compareAt } = plan;
    return screenLines(
      {
        ...{ name: plan.scenario, course, doing: course === null ? this.idle : this.doing },
        mayEndEarlier:
          (search ?? compareAt) !== undefined || legs.some(({ settings }) => settings.budget || settings.transfers),
        ...{ ramp: board.ramp(), others: board.others(), servers: board.shown(), times: board.times },
        events: events.map(({ text, tone }) => (tone ? style(tone, text) : text)),
        foot: `${page === null ? '' : `page ${page}   `}${keys}`,
      },
      terminal,
      style,
    );
  }

  /** @param {Leg} leg that is measured now @param {() => LegCourse} courseOf returns its progress */
  follow(leg, courseOf) {
    this.doing = undefined;
    this.course = () => runCourse(this.plan.legs, leg, courseOf());
  }

  /** @param {Leg} leg whose workers have ended */
  unfollow({ id }) {
    this.course = null;
    this.ended.add(id);
  }

  /** Shows that the summary and the page of the run are written. */
  report() {
    this.course = null;
    this.doing = REPORTING;
    this.progress.draw();
  }

  /**
   * Shows an event below the servers while there is room, then above the screen.
   * @param {string} text @param {Tone | undefined} tone @param {number} at s since the run's first leg began
   */
  tell(text, tone, at) {
    if (this.progress.frame === null) {
      this.progress.note(text, tone);
      return;
    }
    this.events.push({ text: `${clock(at)} ${text.trim()}`, ...(tone ? { tone } : {}) });
    this.moveEvents(MAX_EVENTS);
  }

  /** Moves events above the screen. @param {number} kept how many stay */
  moveEvents(kept) {
    const moved = this.events.splice(0, Math.max(0, this.events.length - kept));
    for (const { text, tone } of moved) this.progress.note(text, tone);
    if (moved.length === 0) this.progress.draw();
  }

  /** Removes the screen; the remarks stay. */
  close() {
    this.moveEvents(0);
    this.progress.close();
  }
}
