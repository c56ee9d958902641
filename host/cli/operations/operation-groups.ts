import type { Command } from 'commander';
import { addExamples, type Example } from '../examples.ts';
import type { Cli } from '../cli.ts';

interface Group {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly Example[];
}

/** The groups whose commands are operations. */
export const operationGroups: readonly Group[] = [
  {
    name: 'templates',
    description: 'What machines can be asked from.',
    examples: [
      ['muster templates list', 'what there is'],
      ['muster templates validate --file templates.json', 'check a file without storing it'],
      ['muster templates create small --file small.yaml --set max_instances=5', 'make one, with a field of its own'],
      ['muster templates update small --set key_name=ops --set tags.team=blue', 'change some fields'],
    ],
  },
  {
    name: 'requests',
    description: 'Ask for machines, follow and cancel what was asked for.',
    examples: [
      ['muster requests create small 3 --wait', 'three machines; ends when they are there'],
      ['muster requests watch req-…', 'follow one'],
      ['muster requests list --status in_progress --output json', 'for a script'],
      ['muster requests cancel req-… --reason "no longer needed"', 'stop it, and return what came'],
    ],
  },
  {
    name: 'machines',
    description: 'The machines that there are; give them back.',
    examples: [
      ['muster machines list --request-id req-…', 'those of one request'],
      ['muster machines return i-1 i-2 --wait', 'give two back'],
      ['muster machines return --all --force', 'give everything back'],
    ],
  },
  {
    name: 'providers',
    description: 'The provider instances, and checks of their configuration.',
    examples: [
      ['muster providers list', 'how they are'],
      ['muster providers validate --file muster.config.yaml', 'check entries before they are used'],
      ['muster providers select small --machine-count 10', 'which one a request would get'],
    ],
  },
  {
    name: 'config',
    description: 'The configuration that muster runs by.',
    examples: [
      ['muster config show server.port', 'a value, and where it comes from'],
      ['muster config validate --config muster.config.yaml', 'whether a file can be used'],
    ],
  },
];

/** Adds the groups; the commands only of the one that the command line names: most start without any. */
export async function operationGroupCommands(program: Command, cli: Cli, named: (group: string) => boolean): Promise<void> {
  for (const { name, description, examples } of operationGroups) {
    const group = program.command(name).description(description);
    if (!named(name)) continue;
    addExamples(group, examples);
    const { addOperationCommands } = await import('./operation-commands.ts');
    addOperationCommands(group, cli);
    if (name === 'config') (await import('../commands/config-validate.ts')).addConfigValidate(group, cli);
  }
}
