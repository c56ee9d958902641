import { type Command, Option } from 'commander';
import { addExamples } from '../../examples.ts';
import { optionOf } from '../../option-names.ts';
import { optionsLast } from '../../options-last.ts';
import { addServerControl } from './server-control.ts';
import { addConfigurationOptions, type StartFlags } from './start/start-flags.ts';
import type { Cli } from '../../cli.ts';

/** `muster server …` */
export function serverCommands(program: Command, cli: Cli): void {
  const server = program.command('server').description('Run the broker.');
  const start = server
    .command('start')
    .description('Start the server in the background: REST on a TCP port and on a Unix socket in the data directory.')
    .option('--foreground', 'Run in the terminal until SIGINT or SIGTERM.');
  addConfigurationOptions(start)
    .option(
      '--api-only',
      'Serve HTTP on the storage of another server, without a reconciler. Any number may run beside it.',
    )
    .option('--reload', 'For development: restart when sources, plugins or the configuration change.')
    .option('--check', 'Check whether the server could start; start nothing.')
    .addOption(new Option('--in-background').hideHelp())
    .action(async (flags: StartFlags) => {
      for (const only of ['reload', 'apiOnly'] as const)
        if (flags[only] && !flags.foreground) server.error(`error: option '${optionOf(only)}' needs --foreground`);
      if (flags.check) {
        const { checkStart } = await import('./start/server-check.ts');
        cli.code = await checkStart(flags, cli.terminal);
        return;
      }
      if (flags.reload) {
        const { startWithReload } = await import('./reload.ts');
        return startWithReload(optionsLast(process.argv));
      }
      if (!flags.foreground) {
        const { startBackgroundServer } = await import('./start/server-background.ts');
        cli.code = await startBackgroundServer(flags, cli.terminal);
        return;
      }
      const { startServer } = await import('./start/server-start.ts');
      await startServer(flags);
    });
  addExamples(start, [['muster server start --port 8000']]);
  addServerControl(server, cli);
}
