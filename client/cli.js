#!/usr/bin/env node
// The `broadside` command. It only makes sure that everything is installed and built, then hands over to
// commands/program.js. It must parse in an old Node (12.17), which gets one clear line: no newer syntax, nothing
// imported that is installed.

import { endOutOfDescriptors, ensureReady, isOutOfDescriptors } from './setup/index.js';

ensureReady()
  .then(function () {
    return import('./commands/program.js');
  })
  .then(function (program) {
    return program.main(process.argv.slice(2));
  })
  .catch(function (error) {
    if (!isOutOfDescriptors(error)) throw error;
    endOutOfDescriptors();
  });
