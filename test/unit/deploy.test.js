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
  for (const word of words) assert.equal(typeof word, 'string', 'numbers would be refused');
  const known = options.get(words.slice(0, 2).join(' ')) ?? options.get(words[0]) ?? assert.fail(words.join(' '));
  for (const word of words.filter((word) => /^--?[a-z]/i.test(word)))
    assert.ok(known.includes(word.split('=')[0]), word);
}

describe('deployment', () => {
  it('has a Dockerfile of known instructions, which installs the tarball and runs as a user', () => {
    const logical = textOf('Dockerfile')
      .replaceAll(/^#.*\n/gm, '')
      .replaceAll('\\\n', ' ')
      .trim();
    const [names, values] = [1, 2].map((i) => [...logical.matchAll(/^(\w+) (.*)\n*/gm)].map((match) => match[i]));
    assert.deepEqual(names, ['FROM', 'COPY', 'RUN', 'USER', 'WORKDIR', 'ENTRYPOINT', 'CMD']);
    const [from, , run, user, , entry, words] = values;
    assert.match(from, /^node:\d+-bookworm-slim$/);
    assert.match(run, /npm install --global .* \/tmp\/broadside-\*\.tgz/);
    assert.deepEqual([JSON.parse(entry), JSON.parse(words), user !== 'root'], [['broadside'], ['--help'], true]);
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
    const { completions, parallelism } = agents.spec;
    const words = argumentsOf(run);
    assert.deepEqual([parallelism, words[words.indexOf('--agents') + 1]], [completions, String(completions)]);
    assert.equal(agents.spec.template.spec.subdomain, named('Service', 'broadside-agents').metadata.name);
    const nats = named('Deployment', 'nats').spec.template;
    assert.deepEqual(named('Service', 'nats').spec.selector, nats.metadata.labels);
    assert.ok(nats.spec.containers[0].args.includes('--jetstream'), 'which a run over agents needs');
    for (const job of [agents, run]) assert.match(argumentsOf(job).join(' '), / --nats nats:\/\/nats:4222\b/);
  });
});
