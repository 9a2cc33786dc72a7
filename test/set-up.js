// What mocha loads before any test: compiles the validators of config/schema/ if they are older than it, and says what
// else is older than its sources.

import { prepare, staleSteps } from '../client/setup/prepare.js';
import { validators } from '../client/setup/steps.js';

await prepare({ steps: [validators] });

/** Once, not in each process. */
export function mochaGlobalSetup() {
  const stale = staleSteps();
  if (stale.length === 0) return;
  console.error(
    `older than their sources: ${stale.join(', ')}. For tests that use them: npm run setup -- --development`,
  );
}
