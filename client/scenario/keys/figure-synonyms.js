// What the figures of a condition are called in other tools. Pure.

/** Word of another tool, in small letters -> figures here, the nearest first. @type {Readonly<Record<string, string[]>>} */
const SYNONYMS = {
  latency: ['p99', 'p50', 'mean'],
  'response time': ['p99', 'p50', 'mean'],
  duration: ['p99', 'p50', 'mean'],
  http_req_duration: ['p99', 'p50', 'mean'],
  avg: ['mean'],
  average: ['mean'],
  median: ['p50'],
  maximum: ['max'],
  p75: ['p50', 'p90'],
  p98: ['p95', 'p99'],
  rps: ['rate'],
  qps: ['rate'],
  tps: ['rate'],
  requests: ['transfers', 'rate'],
  http_reqs: ['rate'],
  bandwidth: ['throughput'],
  'error rate': ['failed share', 'errors'],
  'error share': ['failed share', 'errors'],
  'failure rate': ['failed share', 'errors'],
  http_req_failed: ['failed share', 'errors'],
  failures: ['failed', 'errors'],
  timeouts: ['errors.timeout', 'rejects.timeout'],
  refused: ['rejects.refused'],
  rejected: ['rejects'],
  connections: ['served', 'open'],
  cpu: ['server CPU'],
  memory: ['server memory'],
  rss: ['server memory'],
  '2xx': ['replies.2xx'],
  '4xx': ['replies.4xx'],
  '5xx': ['replies.5xx'],
  bottleneck: ['limited by'],
};

/** @param {string} name @returns {string[]} the figures that another tool calls so */
export function figuresCalled(name) {
  const plain = name.trim().toLowerCase().replace(/\s+/g, ' ');
  return Object.hasOwn(SYNONYMS, plain) ? SYNONYMS[plain] : [];
}
