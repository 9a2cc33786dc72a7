#!/usr/bin/env node
// The `broadside` command. It answers --version, and otherwise makes sure that everything is installed and built, then
// hands over to commands/program.js. It must parse in an old Node (12.17), which gets one clear line: no newer syntax,
// nothing imported that is installed.

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
