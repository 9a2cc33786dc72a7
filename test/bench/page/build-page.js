// Builds the page of a run in a process of its own, as the report command does, and prints what it took as JSON.
//
//   node build-page.js RUN_FOLDER REPORT_FOLDER

import { statSync } from 'node:fs';
import { buildReport } from '../../../report/index.js';

const [runFolder = '', reportFolder = ''] = process.argv.slice(2);
const begun = performance.now();
const { page } = await buildReport({ runFolder, reportFolder, index: false });
console.log(JSON.stringify({ page, buildMs: performance.now() - begun, bytes: statSync(page).size }));
