import type { Argument, Option } from 'commander';
import { commandTree, nodesOf, type CommandNode } from '../../host/cli/commands/completion-script.ts';
import { examplesOf } from '../../host/cli/examples.ts';
import { exitMeanings } from '../../host/cli/exit-codes.ts';
import { operationGroups } from '../../host/cli/operations/operation-groups.ts';
import { programOf } from '../../host/cli/program.ts';
import { generated, madeFile, type Page } from './page.ts';

/** Options that every command of an operation has: listed once. */
const shared = [
  '--output',
  '--url',
  '--config',
  '--call-timeout',
  '--wait',
  '--wait-timeout',
  '--watch',
  '--interval',
  '--no-server',
];

/** Every command with its options. */
export const cliPage: Page = {
  name: 'cli',
  after: ['cli-declarations'],
  make: async () => {
    const made = await text();
    return [madeFile('docs/reference/cli.md', () => made)];
  },
};

async function text(): Promise<string> {
  const silent = { out() {}, err() {}, outIsScreen: false, errIsScreen: false, colors: false };
  const program = await programOf({ terminal: silent, code: 0 }, () => true);
  const tree = commandTree(program);
  const groups = tree.children.map((group) => [
    `## muster ${group.path}`,
    group.command.description(),
    ...nodesOf(group)
      .filter(({ children }) => children.length === 0)
      .map(commandPart),
  ]);
  return `${[head(tree), ...groups.map((parts) => parts.join('\n\n'))].join('\n\n')}\n`;
}

function head(tree: CommandNode): string {
  const options = new Map(nodesOf(tree).flatMap((node) => node.options.map((option) => [option.long ?? '', option])));
  const told = shared.flatMap((name) => options.get(name) ?? []);
  return [
    '# Commands',
    generated('cli', 'the declarations of the commands'),
    '[The guide](../guides/command-line.md) shows how the commands work together.',
    '## Options of every operation',
    'The commands of the groups templates, requests, machines, providers and config take these options where they apply. The first four and `--no-server` may precede the command.',
    optionTable(told),
    '## Exit codes',
    [
      '| Code | Meaning |',
      '|---|---|',
      ...exitMeanings.map(([code, meaning]) => `| ${code} | ${cell(meaning)} |`),
    ].join('\n'),
  ].join('\n\n');
}

function commandPart({ path, command, options }: CommandNode): string {
  const usage = command.usage().replace(/^\[options\] ?/, '');
  const isOperation = operationGroups.some(({ name }) => path.startsWith(`${name} `));
  const own = options.filter(({ long }) => !isOperation || !shared.includes(long ?? ''));
  const parts = [`### muster ${path}`, `\`muster ${`${path} ${usage}`.trim()}\``, command.description()];
  if (own.length + command.registeredArguments.length > 0) parts.push(optionTable(own, command.registeredArguments));
  const calls = examplesOf(command).map(([call]) => call);
  if (calls.length > 0) parts.push(['```', ...calls, '```'].join('\n'));
  return parts.join('\n\n');
}

function optionTable(options: readonly Option[], args: readonly Argument[] = []): string {
  const places = args.map((argument) => `| \`${argument.name()}\` | ${cell(argument.description)} |`);
  const rows = options.map((option) => {
    const { flags, description, argChoices, defaultValue } = option;
    const more = [
      argChoices ? `One of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}.` : '',
      defaultValue === undefined || defaultValue === true ? '' : `Default \`${String(defaultValue)}\`.`,
    ];
    return `| \`${flags}\` | ${cell([description, ...more].filter(Boolean).join(' '))} |`;
  });
  return ['| Option | Meaning |', '|---|---|', ...places, ...rows].join('\n');
}

/** As the cell of a table; outside of code `<` would begin a tag. */
const cell = (text: string): string =>
  text
    .replaceAll('|', '\\|')
    .split('`')
    .map((part, place) => (place % 2 === 0 ? part.replaceAll('<', '&lt;') : part))
    .join('`');
