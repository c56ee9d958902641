import { type Command, InvalidArgumentError, Option } from 'commander';
import { addExamples, type Example } from '../../examples.ts';
import { forms, type Form } from '../../output/print.ts';
import { addConfigurationOptions } from './start/start-flags.ts';
import type { Cli } from '../../cli.ts';
import type { RestartFlags } from './server-restart.ts';

interface PlaceFlags {
  readonly config?: string;
}

const examples: readonly Example[] = [
  ['muster server start', 'in the background; other commands find it by themselves'],
  ['muster server start --foreground', 'for a service manager'],
  ['muster server status --output json', 'whether a server runs, and its address'],
  ['muster server logs -f', 'follow the log of the server'],
];

/** `muster server stop | status | reload | restart | logs` */
export function addServerControl(server: Command, cli: Cli): void {
  const config = ['--config <file>', 'Configuration file. Default: the file that the search finds.'] as const;
  addExamples(server, examples);
  const stop = server
    .command('stop')
    .description('Stop the server of the data directory gracefully, and wait until it has ended.')
    .option(...config)
    .option('--force', 'Kill the server when it does not end by itself.')
    .action(async ({ config: file, force }: PlaceFlags & { readonly force?: boolean }) => {
      const { stopServer } = await import('./server-stop.ts');
      cli.code = await stopServer(file, force ?? false, cli.terminal);
    });
  addExamples(stop, [['muster server stop']]);
  const status = server
    .command('status')
    .description('Show whether a server runs on the data directory, and its address. Exit code 5: no server answers.')
    .option(...config)
    .addOption(new Option('-o, --output <form>', 'Format of the result.').choices(forms).default('table'))
    .action(async ({ config: file, output }: PlaceFlags & { readonly output: Form }) => {
      const { serverStatus } = await import('./server-status.ts');
      cli.code = await serverStatus(file, output, cli.terminal);
    });
  addExamples(status, [['muster server status --output json']]);
  const reload = server
    .command('reload')
    .description(
      'The running server reads its configuration again, and takes over what changes without a restart: the budgets.',
    )
    .option(...config)
    .action(async ({ config: file }: PlaceFlags) => {
      const { reloadServer } = await import('./server-reload.ts');
      cli.code = await reloadServer(file, cli.terminal);
    });
  addExamples(reload, [['muster server reload']]);
  const restart = server
    .command('restart')
    .description(
      'Stop the server and start it in the background with its previous configuration and options; options of this command override them.',
    )
    .option('--force', 'Kill the server when it does not end by itself.');
  addConfigurationOptions(restart).action(async (flags: RestartFlags) => {
    const { restartServer } = await import('./server-restart.ts');
    cli.code = await restartServer(flags, cli.terminal);
  });
  addExamples(restart, [['muster server restart']]);
  const logs = server
    .command('logs')
    .description('Print the last lines of the log of the background server.')
    .option(...config)
    .option('-n, --lines <number>', 'Number of lines.', lines, 100)
    .option('-f, --follow', 'Continue with new lines until Ctrl-C.')
    .action(
      async ({
        config: file,
        lines: count,
        follow,
      }: PlaceFlags & { readonly lines: number; readonly follow?: boolean }) => {
        const { serverLogs } = await import('./server-logs.ts');
        cli.code = await serverLogs(file, { count, follow: follow ?? false }, cli.terminal);
      },
    );
  addExamples(logs, [['muster server logs -f']]);
}

function lines(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return number;
}
