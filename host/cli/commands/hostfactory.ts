import { type Command, Option } from 'commander';
import { dialects, scriptNames, type Dialect } from '../../hostfactory/client/script-call.ts';
import { addExamples } from '../examples.ts';
import type { Cli } from '../cli.ts';

interface InstallFlags {
  readonly dir: string;
  readonly dialect: Dialect;
  readonly name: string;
  readonly write?: string;
}

const example = 'muster hostfactory install --dir /opt/hf/providerplugins/muster/scripts';

/** `muster hostfactory …`. `main.ts` serves the commands of the scripts without loading this file. */
export function hostfactoryCommands(program: Command, { terminal }: Cli): void {
  const hostfactory = program
    .command('hostfactory')
    .description("Serve Symphony's HostFactory, or LSF's resource connector.");
  addExamples(hostfactory, [[example]]);
  const command = hostfactory
    .command('install')
    .description('Write the scripts that the scheduler calls, and print how to register them.')
    .requiredOption('--dir <directory>', 'Directory of the scripts.')
    .addOption(
      new Option('--dialect <name>', 'The scheduler that calls the scripts.')
        .choices([...dialects])
        .default('symphony'),
    )
    .option('--name <name>', 'Name of the provider in the scheduler.', 'muster')
    .option(
      '--write <directory>',
      "Also register the scripts in the scheduler's configuration directory ($HF_CONFDIR, or LSF's conf/resource_connector).",
    )
    .addHelpText(
      'after',
      `\nThe scripts call \`muster hostfactory SCRIPT -f FILE\`; SCRIPT is one of ${scriptNames.join(', ')}.`,
    )
    .action(async ({ dir, dialect, name, write }: InstallFlags) => {
      const { install } = await import('../../hostfactory/install/install.ts');
      const { scripts, registrations, written } = install({
        directory: dir,
        dialect,
        name,
        ...(write === undefined ? {} : { write }),
      });
      terminal.out(`${scripts.length} scripts for ${dialect}:\n${scripts.map((script) => `  ${script}\n`).join('')}`);
      for (const path of written) terminal.out(`Registered in ${path}\n`);
      if (written.length > 0) return;
      for (const { file, list, head, entry } of registrations)
        terminal.out(
          `\n${file}, or this entry in its list '${list}':\n${JSON.stringify({ ...head, [list]: [entry] }, null, 2)}\n`,
        );
    });
  addExamples(command, [[example]]);
}
