/** What a run in progress is shown with: its page, and the points of its charts. Part of the report, so that both draw the same. */
export { LiveModel } from './live-model.js';
export { liveDocuments, liveFigures } from './live-page.js';
export { servedReport } from './served-report.js';
