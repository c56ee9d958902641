import { Option, type Command } from 'commander';
import { addExamples, type Example } from '../examples.ts';
import { forms, type Form } from '../output/print.ts';
import type { Cli } from '../cli.ts';

interface Flags {
  readonly config?: string;
  readonly output: Form;
}

const sound: Example = ['muster storage check', 'check all stored data'];
const copy: Example = ['muster storage backup /backup/muster.db', 'a copy, while the server runs'];
const copySound: Example = ['muster storage check --file /backup/muster.db', 'check a copy'];
const migrated: Example = ['muster storage migrate', 'update the tables before a new version starts'];

/** `muster storage …`. Calls no server; the commands work while a server runs. */
export function storageCommands(program: Command, cli: Cli): void {
  const storage = program
    .command('storage')
    .description('Check, copy and update the stored data, with or without a running server.');
  addExamples(storage, [sound, copy, copySound, migrated]);
  const config = ['--config <file>', 'Configuration file. Default: the file that the search finds.'] as const;
  const output = () => new Option('-o, --output <form>', 'Format of the result.').choices(forms).default('table');
  const check = storage
    .command('check')
    .description(
      'Check all stored data without changing them: whether the file is intact and its records are consistent. Exit code 4: an error was found.',
    )
    .option('--file <file>', 'Check this copy instead.')
    .option(...config)
    .addOption(output())
    .action(async ({ file, config: configuration, output: form }: Flags & { readonly file?: string }) => {
      const { checkStorage } = await import('./storage-work.ts');
      cli.code = await checkStorage(configuration, file, form, cli.terminal);
    });
  addExamples(check, [sound, copySound]);
  const backup = storage
    .command('backup')
    .description('Write a consistent copy of all stored data into a file, and check it. Does not block the server.')
    .argument('<file>', 'The new file, with mode 0600.')
    .option('--force', 'Replace a file that exists.')
    .option(...config)
    .addOption(output())
    .action(
      async (file: string, { force, config: configuration, output: form }: Flags & { readonly force?: boolean }) => {
        const { backUpStorage } = await import('./storage-work.ts');
        cli.code = await backUpStorage(configuration, file, force ?? false, form, cli.terminal);
      },
    );
  addExamples(backup, [copy]);
  const migrate = storage
    .command('migrate')
    .description(
      'Update the tables of a database to the version of this muster, or create them. Servers of this version and of the one before may run meanwhile.',
    )
    .option(...config)
    .addOption(output())
    .action(async ({ config: configuration, output: form }: Flags) => {
      const { migrateStorage } = await import('./storage-work.ts');
      cli.code = await migrateStorage(configuration, form, cli.terminal);
    });
  addExamples(migrate, [migrated]);
}
