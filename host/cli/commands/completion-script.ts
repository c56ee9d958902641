import type { Command, Option } from 'commander';

export type Shell = 'bash' | 'zsh' | 'fish';

/**
 * Returns a completion script with every command and option of a program. The script calls no program when it
 * completes.
 */
export function completionScript(shell: Shell, program: Command): string {
  const nodes = nodesOf(commandTree(program));
  return { bash, zsh, fish }[shell](program.name(), nodes);
}

const flagsOf = ({ options }: CommandNode): string[] => [
  ...options.flatMap(({ short, long }) => [short, long].flatMap((flag) => flag ?? [])),
  '--help',
];
const wordsOf = (node: CommandNode): string[] => [
  ...node.children.map(({ command }) => command.name()),
  ...argumentChoices(node),
];
const argumentChoices = ({ command }: CommandNode): string[] =>
  command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
const choices = (node: CommandNode): Option[] => node.options.filter(({ argChoices }) => argChoices);
const takesFile = ({ flags }: Option): boolean => /<(file|name or file|path|directory|folder)>/.test(flags);
const isOfFiles = ({ command }: CommandNode): boolean =>
  command.registeredArguments.some((argument) => /^(file|folder)$/.test(argument.name()));
const takesValue = ({ required, optional }: Option): boolean => required || optional;

/** The `case` branches of a script: for each command its subcommands, arguments and options. */
function branches(nodes: readonly CommandNode[], indent: string): string {
  const lines = nodes.map(
    (node) => `${indent}'${node.path}') words='${[...wordsOf(node), ...flagsOf(node)].join(' ')}' ;;`,
  );
  return lines.join('\n');
}

function valueBranches(nodes: readonly CommandNode[], indent: string): string {
  const byValues = new Map<string, Set<string>>();
  for (const node of nodes) {
    for (const { long, argChoices = [] } of choices(node)) {
      const values = argChoices.join(' ');
      byValues.set(values, (byValues.get(values) ?? new Set()).add(`'${node.path} ${long}'`));
    }
  }
  return [...byValues]
    .map(([values, options]) => `${indent}${[...options].join('|')}) words='${values}' ;;`)
    .join('\n');
}

const optionsWith = (nodes: readonly CommandNode[], which: (option: Option) => boolean): string =>
  [
    ...new Set(
      nodes.flatMap(({ options }) =>
        options.filter(which).flatMap(({ short, long }) => [short, long].flatMap((flag) => flag ?? [])),
      ),
    ),
  ].join('|');

/** The pattern of a `case` branch for the commands with an argument that is a file. */
const commandsOfFiles = (nodes: readonly CommandNode[]): string =>
  nodes
    .filter(isOfFiles)
    .map(({ path }) => `'${path}'`)
    .join('|');

function bash(name: string, nodes: readonly CommandNode[]): string {
  return `# ${name} completion for bash
_${name}_files() {
  local file
  COMPREPLY=()
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$1")
}
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path='' word words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$path $word" in
${commandWords(nodes, '      ')}
    esac
  done
  path=\${path# }
  COMPREPLY=()
  case $prev in
    ${optionsWith(nodes, takesFile)}) _${name}_files "$cur"; return ;;
  esac
  case "$path $prev" in
${valueBranches(nodes, '    ')}
  esac
  if [ -z "$words" ]; then
    case $prev in
      ${optionsWith(nodes, (option) => takesValue(option) && !option.argChoices && !takesFile(option))}) return ;;
    esac
    case $path in
${branches(nodes, '      ')}
    esac
    case $cur in
      -*) ;;
      *) case $path in ${commandsOfFiles(nodes)}) _${name}_files "$cur"; return ;; esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _${name} ${name}
`;
}

/** The `case` branches that recognize the words of commands. */
function commandWords(nodes: readonly CommandNode[], indent: string): string {
  const parents = nodes.filter(({ path, children }) => path !== '' || children.length > 0);
  return parents
    .filter(({ path }) => path !== '')
    .map(({ path }) => `${indent}'${path.includes(' ') ? '' : ' '}${path}') path='${path}' ;;`)
    .join('\n');
}

function zsh(name: string, nodes: readonly CommandNode[]): string {
  return `#compdef ${name}
# ${name} completion for zsh
_${name}() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]} path='' word found='' i
  local -a given; given=("\${words[@]}")
  for ((i = 2; i < CURRENT; i++)); do
    word=\${given[i]}
    case "$path $word" in
${commandWords(nodes, '      ')}
    esac
  done
  case $prev in
    ${optionsWith(nodes, takesFile)}) _files; return ;;
  esac
  local words=''
  case "$path $prev" in
${valueBranches(nodes, '    ')}
  esac
  if [[ -z "$words" ]]; then
    case $prev in
      ${optionsWith(nodes, (option) => takesValue(option) && !option.argChoices && !takesFile(option))}) return ;;
    esac
    case $path in
${branches(nodes, '      ')}
    esac
    case $cur in
      -*) ;;
      *) case $path in ${commandsOfFiles(nodes)}) _files; return ;; esac ;;
    esac
  fi
  compadd -- \${=words}
}
if [ "$funcstack[1]" = "_${name}" ]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

function fish(name: string, nodes: readonly CommandNode[]): string {
  const lines = nodes.flatMap((node) => {
    const when = `-n '__${name}_at "${node.path}"'`;
    const words = [
      ...node.children.map(
        ({ command }) =>
          `complete -c ${name} -f ${when} -a ${quoted(command.name())} -d ${quoted(command.description())}`,
      ),
      ...argumentChoices(node).map((choice) => `complete -c ${name} -f ${when} -a ${quoted(choice)}`),
      ...(isOfFiles(node) ? [`complete -c ${name} -F ${when}`] : []),
    ];
    const options = node.options.map((option) => {
      const { short, long, description, argChoices } = option;
      const spelled = [...(short ? [`-s ${short.slice(1)}`] : []), ...(long ? [`-l ${long.slice(2)}`] : [])].join(' ');
      const value = argChoices
        ? `-x -a ${quoted(argChoices.join(' '))}`
        : takesFile(option)
          ? '-r -F'
          : takesValue(option)
            ? '-x'
            : '-f';
      return `complete -c ${name} ${when} ${spelled} ${value} -d ${quoted(description)}`;
    });
    return [...words, ...options];
  });
  const known = nodes.flatMap(({ path }) => (path === '' ? [] : [quoted(path)])).join(' ');
  return `# ${name} completion for fish
function __${name}_at
    set -l path ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$path $word")
        contains -- "$next" ${known}; and set path $next
    end
    test "$path" = "$argv[1]"
end
complete -c ${name} -f
${lines.join('\n')}
`;
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** A command with its path, for help pages and completion. */
export interface CommandNode {
  /** `requests create`; empty for the program itself. */
  readonly path: string;
  readonly command: Command;
  readonly options: readonly Option[];
  readonly children: readonly CommandNode[];
}

/** Returns the tree of the commands of a program, with the visible options, in their order. */
export function commandTree(command: Command, path = ''): CommandNode {
  const children = command.commands.map((child) => commandTree(child, `${path} ${child.name()}`.trim()));
  return { path, command, options: command.options.filter(({ hidden }) => !hidden), children };
}

/** Returns a node and all its descendants. */
export const nodesOf = (node: CommandNode): CommandNode[] => [node, ...node.children.flatMap(nodesOf)];
