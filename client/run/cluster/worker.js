// The entry point of a cluster worker, which loads the engine.
import * as engine from '../../engine/index.js';
import { takeSecrets } from '../../protocols/kept-secrets.js';
import { serveLegs } from './worker-loop.js';

takeSecrets(process.env); // from the primary
serveLegs(engine);
