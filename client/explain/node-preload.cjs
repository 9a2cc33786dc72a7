// Loaded first in every thread of a Node server that is profiled: takes a CPU profile between two messages of the
// socket that BROADSIDE_PROFILE names. Whatever fails here, the server runs on.
'use strict';
const { Session } = require('node:inspector');
const { connect } = require('node:net');
const { isMainThread, threadId } = require('node:worker_threads');

const INTERVAL_US = 2000;

const session = new Session();
session.connect();
const socket = connect(process.env.BROADSIDE_PROFILE);
socket.on('error', () => session.disconnect());
socket.unref();
socket.setEncoding('utf8');
socket.on('connect', () => socket.write(`${JSON.stringify({ pid: process.pid, isMainThread, threadId })}\n`));
socket.on('data', (text) => {
  if (text.includes('start')) {
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    session.post('Profiler.start');
  }
  if (text.includes('stop')) {
    const { profile } = ask('Profiler.stop') ?? {};
    socket.end(`${JSON.stringify({ profile: profile ?? null, functions: profile ? functionsOf(profile) : [] })}\n`);
  }
});

/** The answer of the inspector, which comes at once from the same thread; undefined where it fails. */
function ask(method, params) {
  let answer;
  session.post(method, params, (error, result) => {
    answer = error ? undefined : result;
  });
  return answer;
}

/** Where the functions of the profile's scripts begin and end: `[{ scriptId, url, ranges: [[name, first, last]] }]`. */
function functionsOf({ nodes }) {
  const used = new Set(nodes.map(({ callFrame }) => callFrame.scriptId));
  const scripts = ask('Profiler.getBestEffortCoverage')?.result ?? [];
  ask('Debugger.enable');
  return scripts.flatMap(({ scriptId, functions }) => {
    const source = used.has(scriptId) ? ask('Debugger.getScriptSource', { scriptId })?.scriptSource : undefined;
    if (!source) return [];
    const lineOf = lineFinder(source);
    const ranges = functions.map(({ functionName, ranges: [{ startOffset, endOffset }] }) => [
      functionName,
      lineOf(startOffset),
      lineOf(endOffset),
    ]);
    return [{ scriptId, ranges }];
  });
}

/** A function that gives the line of an offset, from 0. */
function lineFinder(source) {
  const ends = [];
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) ends.push(at);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
