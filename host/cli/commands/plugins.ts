import { Argument, type Command, Option } from 'commander';
import { addExamples, type Example } from '../examples.ts';
import { exitCodes } from '../exit-codes.ts';
import { forms, print, type Form } from '../output/print.ts';
import type { Cli } from '../cli.ts';

interface Flags {
  readonly config?: string;
  readonly output: Form;
}

const list: Example = ['muster plugins list', 'what is loaded, from where, and what it brings'];
const check: Example = ['muster plugins check', 'for a script: exit code 4 when one cannot be used'];
const checkOne: Example = ['muster plugins check ./my-provider', 'one that is not configured yet'];
const create: Example = ['muster plugins create provider my-cloud', 'a package to begin with, in ./my-cloud'];
const tests: Example = ['muster plugins test ./my-cloud', 'its tests, among them what the contract asks for'];

/** `muster plugins …`. No server is asked: a plugin that cannot load would have stopped its start. */
export function pluginsCommands(program: Command, cli: Cli): void {
  const plugins = program
    .command('plugins')
    .description('What the configured plugins bring, and whether they load; a package to begin a new one with.');
  addExamples(plugins, [list, check, checkOne, create, tests]);
  add(
    plugins.command('list'),
    'Every configured plugin: where it is loaded from, and what it brings. Of one that does not load, what to do.',
    [list],
  );
  add(
    plugins.command('check').argument('[names...]', 'Plugins to check beside the configured ones: a package, or a path.'),
    'As list, and ends with 4 when a plugin cannot be used or lacks what its extension point asks for.',
    [check, checkOne],
  );

  const creating = plugins
    .command('create')
    .description('Write a package to begin a new plugin with: with its tests, and with the functions that are to be written marked.')
    .addArgument(new Argument('<kind>', 'What it brings.').choices(['provider']))
    .argument('<name>', 'Its name, and that of its package and provider type, e.g. my-cloud.')
    .option('--directory <folder>', 'Where it is written, instead of a folder of its name.')
    .action(async (_kind: string, name: string, { directory }: { readonly directory?: string }) => {
      const { createProvider } = await import('./plugins-create.ts');
      await createProvider(name, directory, cli.terminal);
    });
  addExamples(creating, [create]);

  const testing = plugins
    .command('test')
    .description(
      'Run the tests of a plugin: all files named *.test.ts or *.test.js in its folder test. `muster` in them is this one. Ends with 1 when one fails.',
    )
    .argument('[folder]', 'The folder of the plugin.', '.')
    .action(async (folder: string) => {
      const { testPlugin } = await import('./plugins-test.ts');
      cli.code = await testPlugin(folder);
    });
  addExamples(testing, [tests]);

  function add(command: Command, description: string, examples: readonly Example[]): void {
    addExamples(command, examples);
    command
      .description(description)
      .option('--config <file>', 'Configuration file, instead of the one that is found.')
      .addOption(new Option('-o, --output <form>', 'How the result is printed.').choices(forms).default('table'))
      .action(async () => {
        const { config, output } = command.opts<Flags>();
        const { reportPlugins } = await import('../../../config/plugins/plugin-report.ts');
        const options = { cwd: process.cwd(), env: process.env, ...(config === undefined ? {} : { file: config }) };
        const report = await reportPlugins(options, command.args);
        const wrong = report.plugins.filter(({ status }) => status === 'wrong');
        await print('list_plugins', report, output, cli.terminal);
        if (output === 'table') for (const { problems } of wrong) for (const problem of problems) cli.terminal.err(`muster: ${problem}\n`);
        if (command.name() === 'check' && wrong.length > 0) cli.code = exitCodes.refused;
      });
  }
}
