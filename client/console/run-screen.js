// The screen during a run: gathers what it shows from the events of the run. Without a screen, messages go straight to
// the output between the lines.

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
/** As many remarks are below the servers. */
const MOST_EVENTS = 3;

export class RunScreen {
  /** @param {Progress} progress that draws it @param {Plan} plan to which legs may be added */
  constructor(progress, plan) {
    this.progress = progress;
    this.plan = plan;
    this.board = new Board();
    /** How far the leg is that is measured now. @type {(() => ReturnType<typeof runCourse>) | null} */
    this.course = null;
    /** What the run does while nothing is measured, or why nothing comes. @type {string | undefined} */
    this.doing = undefined;
    /** What was last said. @type {{ text: string, tone?: Tone }[]} */
    this.events = [];
    /** Of the live page; null: there is none. @type {string | null} */
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

  /** Whether there is one: then lines are not made. */
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

  /** @param {Leg} leg that is measured now @param {() => LegCourse} courseOf how far it is */
  follow(leg, courseOf) {
    this.doing = undefined;
    this.course = () => runCourse(this.plan.legs, leg, courseOf());
  }

  /** @param {Leg} leg whose workers have ended */
  unfollow({ id }) {
    this.course = null;
    this.ended.add(id);
  }

  /** Nothing more is measured, and the summary and the page of the run are written. */
  report() {
    this.course = null;
    this.doing = REPORTING;
    this.progress.draw();
  }

  /**
   * What happens in a run: below the servers for as long as there is room, then above the screen.
   * @param {string} text @param {Tone | undefined} tone @param {number} at s since the run's first leg began
   */
  tell(text, tone, at) {
    if (this.progress.frame === null) {
      this.progress.note(text, tone);
      return;
    }
    this.events.push({ text: `${clock(at)} ${text.trim()}`, ...(tone ? { tone } : {}) });
    this.moveEvents(MOST_EVENTS);
  }

  /** @param {number} kept of the events: the others go above the screen */
  moveEvents(kept) {
    const moved = this.events.splice(0, Math.max(0, this.events.length - kept));
    for (const { text, tone } of moved) this.progress.note(text, tone);
    if (moved.length === 0) this.progress.draw();
  }

  /** Nothing more is measured: what was said stays, the screen goes. */
  close() {
    this.moveEvents(0);
    this.progress.close();
  }
}
