// The entry point of a cluster worker. Only here is the engine loaded.
import * as engine from '../../engine/index.js';
import { serveLegs } from './worker-loop.js';

serveLegs(engine);
