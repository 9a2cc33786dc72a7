// The entry point of a cluster worker. Only here is the engine loaded.
import * as engine from '../../engine/index.js';
import { takeSecrets } from '../../protocols/kept-secrets.js';
import { serveLegs } from './worker-loop.js';

takeSecrets(process.env); // those that the primary has given it
serveLegs(engine);
