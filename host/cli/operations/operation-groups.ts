import type { Command } from 'commander';
import { addExamples, type Example } from '../examples.ts';
import type { Cli } from '../cli.ts';

interface Group {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly Example[];
}

/** The command groups of the operations. */
export const operationGroups: readonly Group[] = [
  {
    name: 'templates',
    description: 'Templates for requests.',
    examples: [
      ['muster templates list', 'all templates'],
      ['muster templates validate --file templates.json', 'check a file without storing it'],
      [
        'muster templates create small --file small.yaml --set max_instances=5',
        'create a template and override a field',
      ],
      ['muster templates update small --set key_name=ops --set tags.team=blue', 'change some fields'],
    ],
  },
  {
    name: 'requests',
    description: 'Request machines; watch and cancel requests.',
    examples: [
      ['muster requests create small 3 --wait', 'three machines; returns when they run'],
      ['muster requests watch req-…', 'watch a request'],
      ['muster requests plan small 3', 'what a request would do, without making it'],
      ['muster requests explain req-…', 'why a request is in its state'],
      ['muster requests list --status in_progress --output json', 'for a script'],
      ['muster requests cancel req-… --reason "no longer needed"', 'cancel a request and return its machines'],
    ],
  },
  {
    name: 'machines',
    description: 'List and return machines.',
    examples: [
      ['muster machines list --request-id req-…', 'the machines of one request'],
      ['muster machines return i-1 i-2 --wait', 'return two machines'],
      ['muster machines return --all --force', 'return all machines'],
    ],
  },
  {
    name: 'providers',
    description: 'The provider instances, and checks of their configuration.',
    examples: [
      ['muster providers list', 'all instances and their status'],
      ['muster providers validate --file muster.config.yaml', 'check provider entries of a file'],
      ['muster providers select small --machine-count 10', 'which instance would serve a request'],
    ],
  },
  {
    name: 'capacity',
    description: 'The offers of the templates, and which of them lack capacity now.',
    examples: [
      ['muster capacity list', 'all offers of all templates'],
      ['muster capacity list --state short', 'what lacks capacity now'],
    ],
  },
  {
    name: 'budgets',
    description: 'Limits on what machines may use together.',
    examples: [['muster budgets list', 'the budgets, and what is used of each limit']],
  },
  {
    name: 'usage',
    description: 'What machines were used, and what they cost.',
    examples: [
      ['muster usage', 'this month so far, by template'],
      ['muster usage --from 2026-01-01 --to 2026-01-31 --group-by machine_type,market', 'a month by type and market'],
    ],
  },
  {
    name: 'brokers',
    description: 'The brokers that share a storage.',
    examples: [
      ['muster brokers list', 'all brokers, and how many requests each holds'],
      ['muster brokers overview', 'what they are doing: machines, open requests, use of templates'],
    ],
  },
  {
    name: 'events',
    description: 'What happened, and what happens.',
    examples: [
      ['muster events', 'the latest events'],
      ['muster events --follow', 'each event as it happens'],
      ['muster events --request-id req-… --after 0', 'everything about one request'],
      ['muster events --type request.failed --output json', 'for a script'],
    ],
  },
  {
    name: 'config',
    description: 'Show and check the configuration.',
    examples: [
      ['muster config show server.port', 'a value and its origin'],
      ['muster config validate --config muster.config.yaml', 'check a file'],
    ],
  },
];

/**
 * Adds the groups; adds commands only to the group that the command line names, since loading all of them takes time.
 */
export async function operationGroupCommands(
  program: Command,
  cli: Cli,
  named: (group: string) => boolean,
): Promise<void> {
  for (const { name, description, examples } of operationGroups) {
    const group = program.command(name).description(description);
    if (!named(name)) continue;
    addExamples(group, examples);
    const { addOperationCommands } = await import('./operation-commands.ts');
    addOperationCommands(group, cli);
    if (name === 'config') (await import('../commands/config-validate.ts')).addConfigValidate(group, cli);
  }
}
