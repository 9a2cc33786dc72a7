// `broadside completion`: prints a script that makes a shell complete commands, options, and the names of scenarios and
// servers. It holds them all, so that the Tab key starts no process; the next version brings the next script.

import { UsageError } from '../errors.js';
import { scenarioNames } from '../scenario/file.js';
import { helpTexts } from './help-texts.js';

const SHELLS = ['bash', 'zsh'];

export const builder = (/** @type {import('yargs').Argv} */ yargs) =>
  yargs.positional('shell', { type: 'string', default: 'bash', describe: `${SHELLS.join(' or ')} (default: bash)` });

/** @type {[string, string][]} */
export const examples = [
  ['bash', 'the script; into ~/.local/share/bash-completion/completions/broadside'],
  ['zsh', 'for zsh; into a file that ~/.zshrc sources'],
];

/** @param {{shell: string}} argv @param {import('./help-texts.js').Commands} known */
export async function handler({ shell }, known) {
  if (!SHELLS.includes(shell)) {
    throw new UsageError(`completion: there is none for "${shell}"; give ${SHELLS.join(' or ')}`, {
      code: 'ESHELL',
      data: { shell, known: SHELLS },
    });
  }
  const { listServers } = await import('../../servers/launcher/index.js');
  const script = completionScript(await helpTexts(known), {
    scenarios: scenarioNames(),
    servers: listServers().map(({ name }) => name),
  });
  process.stdout.write(shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script);
}

/** A word that means only itself to a shell: the script would expand others at the Tab key. */
const PLAIN_WORD = /^[A-Za-z0-9@%+=:,./_-]+$/;

/**
 * @param {import('./help-texts.js').HelpText[]} texts
 * @param {{scenarios: string[], servers: string[]}} names
 * @returns {string} for bash
 */
export function completionScript(texts, { scenarios, servers }) {
  const at = (/** @type {number} */ length) => texts.filter(({ words }) => words.length === length);
  const names = (/** @type {import('./help-texts.js').HelpText[]} */ found) => found.map(({ words }) => words.at(-1));
  const list = (/** @type {(string | undefined)[]} */ words) =>
    `'${words.filter((word) => PLAIN_WORD.test(word ?? '')).join(' ')}'`;
  const inner = at(2).map(({ words, options }) => `    '${words.join(' ')}') words=${list(options)} ;;`);
  const outer = at(1).map(({ words: [name], options }) => {
    const subcommands = names(at(2).filter(({ words }) => words[0] === name));
    return `    '${name} '*) words=${list(options)}; [ "$COMP_CWORD" -eq 2 ] && words="$words ${subcommands.join(' ')}" ;;`;
  });
  return `# Completion of broadside for bash; made by \`broadside completion bash\`.
_broadside() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=''
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${[...inner, ...outer].join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words=${list([...names(at(1)), ...at(0)[0].options])}; fi
  case "\${COMP_WORDS[COMP_CWORD - 1]}" in
    --config | --scenario) words=${list(scenarios)} ;;
    --servers) words=${list(servers)} ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _broadside broadside
`;
}
