#!/usr/bin/env node
// The `broadside` command: answers --version; otherwise installs and builds what is missing, then runs
// commands/program.js. This file must parse in Node 12.17, so that an old Node prints one clear line: no newer syntax,
// no imports of installed packages.

import { readFileSync } from 'fs'; // Node 12.17 knows no `node:`
import { endOutOfDescriptors, ensureReady, isOutOfDescriptors } from './setup/index.js';

if (process.argv[2] === '--version') {
  console.log(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version);
  process.exit();
}

ensureReady()
  .then(function () {
    return import('./invocation.js');
  })
  .then(function (invocation) {
    process.chdir(invocation.FOLDER); // paths are relative to where the command was typed
    return import('./commands/program.js');
  })
  .then(function (program) {
    return program.main(process.argv.slice(2));
  })
  .catch(function (error) {
    if (!isOutOfDescriptors(error)) throw error;
    endOutOfDescriptors();
  });
