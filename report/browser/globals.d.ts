// What the page has in scope besides the browser's own: chart.js, inlined before the page script as a classic script.

/** The default export with its statics; options are made at run time from the model, so they are not typed here. */
declare const Chart: any;
