import { Option, type Command } from 'commander';
import { addExamples, type Example } from '../examples.ts';
import { forms, type Form } from '../output/print.ts';
import type { Cli } from '../cli.ts';

interface Flags {
  readonly config?: string;
  readonly output: Form;
}

const sound: Example = ['muster storage check', 'whether all that is stored is sound'];
const copy: Example = ['muster storage backup /backup/muster.db', 'a copy, while the server runs'];
const copySound: Example = ['muster storage check --file /backup/muster.db', 'whether a copy is'];

/** `muster storage …`: no server is asked; both work beside one that runs. */
export function storageCommands(program: Command, cli: Cli): void {
  const storage = program.command('storage').description('Check and copy what the broker has stored, whether a server runs or not.');
  addExamples(storage, [sound, copy, copySound]);
  const config = ['--config <file>', 'Configuration file, instead of the one that is found.'] as const;
  const output = () => new Option('-o, --output <form>', 'How the result is printed.').choices(forms).default('table');
  const check = storage
    .command('check')
    .description(
      'Look through everything that is stored, and change nothing: whether the file is sound, and whether the records in it agree. Exit code 4: something is wrong.',
    )
    .option('--file <file>', 'Look through this copy instead.')
    .option(...config)
    .addOption(output())
    .action(async ({ file, config: configuration, output: form }: Flags & { readonly file?: string }) => {
      const { checkStorage } = await import('./storage-work.ts');
      cli.code = await checkStorage(configuration, file, form, cli.terminal);
    });
  addExamples(check, [sound, copySound]);
  const backup = storage
    .command('backup')
    .description('Write a copy of everything that is stored, as it is at one moment, into a file, and check it. Nobody waits for it.')
    .argument('<file>', 'The file that is made, readable by its owner alone.')
    .option('--force', 'Replace a file that exists.')
    .option(...config)
    .addOption(output())
    .action(async (file: string, { force, config: configuration, output: form }: Flags & { readonly force?: boolean }) => {
      const { backUpStorage } = await import('./storage-work.ts');
      cli.code = await backUpStorage(configuration, file, force ?? false, form, cli.terminal);
    });
  addExamples(backup, [copy]);
}
