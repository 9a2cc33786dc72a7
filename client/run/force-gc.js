// Collects this process's garbage now. The one thing to know: what makes a little garbage each second V8 would let grow
// for minutes; a run's memory is looked at, and is to be what the run needs.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** @type {(() => void) | null} */
let collector = null;

export function collectGarbage() {
  if (collector === null) {
    setFlagsFromString('--expose-gc');
    collector = /** @type {() => void} */ (runInNewContext('gc'));
  }
  collector();
}
