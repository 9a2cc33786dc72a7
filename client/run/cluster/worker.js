// The cluster worker's entry. The one thing to know: this line is where the engine comes in.
import * as engine from '../../engine/index.js';
import { serveLegs } from './worker-loop.js';

serveLegs(engine);
