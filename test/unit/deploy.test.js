// The files of config/deploy/: they are what their tools parse, and every command in them is one of Broadside's, with
// options that it has. No image is built here.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { helpTexts } from '../../.ci/package/help-texts.js';
import { commands } from '../../client/commands/index.js';
import { program } from '../../client/commands/program.js';

const FOLDER = join(import.meta.dirname, '../../config/deploy');
const textOf = (/** @type {string} */ name) => readFileSync(join(FOLDER, name), 'utf8');
/** @returns {any[]} the documents of a YAML file */
const documentsOf = (/** @type {string} */ name) => loadAll(textOf(name));

/** @type {Map<string, string[]>} the options of each command and subcommand */
let options;
before(async () => {
  const texts = await helpTexts({ commands, program });
  options = new Map(texts.map(({ words, options: found }) => [words.join(' '), found]));
});

/** @param {string[]} words of a command */
function assertKnown(words) {
  assert.ok(
    words.every((word) => typeof word === 'string'),
    `numbers would be refused: ${words}`,
  );
  const known = options.get(words.slice(0, 2).join(' ')) ?? options.get(words[0]) ?? assert.fail(words.join(' '));
  const given = words.filter((word) => /^--?[a-z]/i.test(word)).map((word) => word.split('=')[0]);
  assert.deepEqual(
    given.filter((word) => !known.includes(word)),
    [],
  );
}

describe('deployment', () => {
  it('has a Dockerfile of known instructions, which installs the tarball and runs as a user', () => {
    const logical = textOf('Dockerfile')
      .replaceAll(/^#.*\n/gm, '')
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => line.trim() !== '');
    const names = logical.map((line) => line.split(' ')[0]);
    assert.deepEqual(names, ['FROM', 'COPY', 'RUN', 'USER', 'WORKDIR', 'ENTRYPOINT', 'CMD']);
    const value = (/** @type {string} */ name) => logical[names.indexOf(name)].slice(name.length + 1);
    assert.match(value('FROM'), /^node:\d+-bookworm-slim$/);
    assert.match(value('RUN'), /npm install --global .* \/tmp\/broadside-\*\.tgz/);
    assert.deepEqual(JSON.parse(value('ENTRYPOINT')), ['broadside']);
    assert.deepEqual(JSON.parse(value('CMD')), ['--help']);
    assert.notEqual(value('USER'), 'root');
  });

  it('has a compose file whose services run commands that exist', () => {
    const [{ services, volumes }] = documentsOf('compose.yaml');
    assert.deepEqual(Object.keys(services), ['server', 'client']);
    for (const { command, image, init } of Object.values(services)) {
      assert.deepEqual([image, init], ['broadside', true]);
      assertKnown(command);
    }
    const [host, port] = services.client.command[services.client.command.indexOf('--target') + 1].split(':');
    assert.ok(host in services);
    assert.equal(services[host].command[services[host].command.indexOf('--port') + 1], port);
    for (const mount of services.client.volumes) assert.ok(mount.split(':')[0] in volumes);
  });

  it('has a Kubernetes manifest of NATS, as many indexed agents as the run needs, and a run', () => {
    const documents = documentsOf('kubernetes.yaml');
    const named = (/** @type {string} */ kind, /** @type {string} */ name) =>
      documents.find((each) => each.kind === kind && each.metadata.name === name) ?? assert.fail(`${kind} ${name}`);
    const argumentsOf = (/** @type {any} */ job) => job.spec.template.spec.containers[0].args;
    const agents = named('Job', 'broadside-agents');
    const run = named('Job', 'broadside');
    for (const job of [agents, run]) {
      assertKnown(argumentsOf(job));
      assert.equal(job.spec.template.spec.restartPolicy, 'Never');
    }
    const { completionMode, completions, parallelism, backoffLimitPerIndex } = agents.spec;
    assert.deepEqual([completionMode, backoffLimitPerIndex, parallelism], ['Indexed', 0, completions]);
    const words = argumentsOf(run);
    assert.equal(words[words.indexOf('--agents') + 1], String(completions));
    assert.deepEqual(run.spec.podFailurePolicy.rules, [
      { action: 'FailJob', onExitCodes: { operator: 'NotIn', values: [3] } },
    ]);
    const service = named('Service', 'broadside-agents');
    assert.equal(service.spec.clusterIP, 'None');
    assert.equal(agents.spec.template.spec.subdomain, service.metadata.name);
    assert.deepEqual(service.spec.selector, agents.spec.template.metadata.labels);
    const nats = named('Deployment', 'nats').spec.template;
    assert.deepEqual(named('Service', 'nats').spec.selector, nats.metadata.labels);
    assert.ok(nats.spec.containers[0].args.includes('--jetstream'), 'which a run over agents needs');
    for (const { spec } of [agents, run]) {
      const [, url] = / --nats (\S+)/.exec(argumentsOf({ spec }).join(' ')) ?? [];
      assert.equal(url, 'nats://nats:4222');
    }
  });
});
