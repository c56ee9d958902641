import { Option, type Command } from 'commander';
import { addExamples, type Example } from '../../examples.ts';
import { forms, type Form } from '../../output/print.ts';
import type { Cli } from '../../cli.ts';
import type { CopyFlags } from './storage-copy.ts';

interface Flags {
  readonly config?: string;
  readonly output: Form;
}

const sound: Example = ['muster storage check', 'check all stored data'];
const copy: Example = ['muster storage backup /backup/muster.db', 'a copy, while the server runs'];
const copySound: Example = ['muster storage check --file /backup/muster.db', 'check a copy'];
const restored: Example = ['muster storage restore /backup/muster.db --replace', 'go back to a copy'];
const moved: Example = ['muster storage copy --to postgres://muster@db.example/muster', 'everything, to PostgreSQL'];
const movedBack: Example = ['muster storage copy --to data/muster.db', 'and back, into a new file'];
const reopened: Example = ['muster storage reopen', 'use a storage again after a copy was interrupted'];
const migrated: Example = ['muster storage migrate', 'update the tables before a new version starts'];

/** `muster storage …`. Calls no server; the commands work while a server runs. */
export function storageCommands(program: Command, cli: Cli): void {
  const storage = program.command('storage').description('Check, back up, restore, update and move the stored data.');
  addExamples(storage, [sound, copy, copySound, restored, migrated, moved]);
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
  const restore = storage
    .command('restore')
    .description(
      'Put the content of a backup into the storage of the configuration, SQLite or PostgreSQL. No broker may run on it. The backup is checked first and only read. Repeat it when it was interrupted. Exit codes: 4 refused, 5 the storage is not reachable.',
    )
    .argument('<file>', 'A file that `muster storage backup` wrote.')
    .option(
      '--replace',
      'Replace everything in a storage that is not empty. A file that is replaced is kept beside it.',
    )
    .option(...config)
    .addOption(output())
    .action(
      async (
        file: string,
        { replace, config: configuration, output: form }: Flags & { readonly replace?: boolean },
      ) => {
        const { restoreStorageFrom } = await import('./storage-restore.ts');
        cli.code = await restoreStorageFrom(file, configuration, replace ?? false, form, cli.terminal);
      },
    );
  addExamples(restore, [restored]);
  const migrate = storage
    .command('migrate')
    .description(
      'Update the tables of a database to the version of this muster, or create them. On PostgreSQL, servers of this version and of the one before may run meanwhile; on SQLite, those of an earlier version refuse all writes afterwards.',
    )
    .option(...config)
    .addOption(output())
    .action(async ({ config: configuration, output: form }: Flags) => {
      const { migrateStorage } = await import('./storage-work.ts');
      cli.code = await migrateStorage(configuration, form, cli.terminal);
    });
  addExamples(migrate, [migrated]);
  const transfer = storage
    .command('copy')
    .description(
      'Copy everything from one storage to another, with live machines, so that brokers continue there. No broker may run on either. Repeat it when it was interrupted. Exit codes: 3 no source, or no directory for the target; 4 refused; 5 a storage is not reachable.',
    )
    .option(
      '--to <place>',
      'The target: a file, or postgres://USER@HOST/DATABASE[?schema=NAME]. Default: MUSTER_STORAGE_TO_URL.',
    )
    .option(
      '--to-config <file>',
      'The target is the storage of this configuration file, with MUSTER_STORAGE_TO_URL as its storage.url.',
    )
    .option('--from <place>', 'The source, as a file or URL. Default: the storage of the configuration.')
    .option('--replace', 'Replace everything in a target that is not empty.')
    .option(...config)
    .addOption(output())
    .action(async ({ output: form, ...flags }: Flags & CopyFlags) => {
      const { copyStorageTo } = await import('./storage-copy.ts');
      cli.code = await copyStorageTo(flags, form, cli.terminal);
    });
  addExamples(transfer, [moved, movedBack]);
  const reopen = storage
    .command('reopen')
    .description('Let brokers use a storage again that is being copied, or was copied, to another one.')
    .option('--force', 'Also when the copy is complete. No broker may use that copy any more.')
    .option(...config)
    .addOption(output())
    .action(async ({ force, config: configuration, output: form }: Flags & { readonly force?: boolean }) => {
      const { reopenStorage } = await import('./storage-copy.ts');
      cli.code = await reopenStorage(configuration, force ?? false, form, cli.terminal);
    });
  addExamples(reopen, [reopened]);
}
