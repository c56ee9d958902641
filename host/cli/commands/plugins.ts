import { Argument, type Command, Option } from 'commander';
import { addExamples, type Example } from '../examples.ts';
import { exitCodes } from '../exit-codes.ts';
import { forms, print, type Form } from '../output/print.ts';
import type { Cli } from '../cli.ts';

interface Flags {
  readonly config?: string;
  readonly output: Form;
}

const list: Example = ['muster plugins list', 'all plugins, their files and their contributions'];
const check: Example = ['muster plugins check', 'for a script: exit code 4 when a plugin cannot be used'];
const checkOne: Example = ['muster plugins check ./my-provider', 'a plugin that is not configured yet'];
const create: Example = ['muster plugins create provider my-cloud', 'a new package in ./my-cloud'];
const tests: Example = ['muster plugins test ./my-cloud', 'the tests of the plugin, with the contract tests'];

/** `muster plugins …`. Calls no server: a plugin that cannot load prevents the start of a server. */
export function pluginsCommands(program: Command, cli: Cli): void {
  const plugins = program
    .command('plugins')
    .description('List and check the configured plugins; create and test new ones.');
  addExamples(plugins, [list, check, checkOne, create, tests]);
  add(
    plugins.command('list'),
    'List every configured plugin with its file and its contributions; for a plugin that does not load, the remedy.',
    [list],
  );
  add(
    plugins.command('check').argument('[names...]', 'Further plugins to check: packages or paths.'),
    'Like list; exits with 4 when a plugin cannot be used or lacks members that its extension point requires.',
    [check, checkOne],
  );

  const creating = plugins
    .command('create')
    .description('Write the package of a new plugin: with tests, and with marked functions that you must write.')
    .addArgument(new Argument('<kind>', 'What the plugin contributes.').choices(['provider']))
    .argument('<name>', 'Name of the plugin, of its package and of its provider type, e.g. my-cloud.')
    .option('--directory <folder>', 'Directory of the package. Default: a directory with the name of the plugin.')
    .action(async (_kind: string, name: string, { directory }: { readonly directory?: string }) => {
      const { createProvider } = await import('./plugins-create.ts');
      await createProvider(name, directory, cli.terminal);
    });
  addExamples(creating, [create]);

  const testing = plugins
    .command('test')
    .description(
      'Run the tests of a plugin: all files named *.test.ts or *.test.js in its folder test. Imports of `muster` resolve to this installation. Exits with 1 when a test fails.',
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
      .option('--config <file>', 'Configuration file. Default: the file that the search finds.')
      .addOption(new Option('-o, --output <form>', 'Format of the result.').choices(forms).default('table'))
      .action(async () => {
        const { config, output } = command.opts<Flags>();
        const { reportPlugins } = await import('../../../config/plugins/plugin-report.ts');
        const options = { cwd: process.cwd(), env: process.env, ...(config === undefined ? {} : { file: config }) };
        const report = await reportPlugins(options, command.args);
        const wrong = report.plugins.filter(({ status }) => status === 'wrong');
        await print('list_plugins', report, output, cli.terminal);
        if (output === 'table')
          for (const { problems } of wrong) for (const problem of problems) cli.terminal.err(`muster: ${problem}\n`);
        if (command.name() === 'check' && wrong.length > 0) cli.code = exitCodes.refused;
      });
  }
}
