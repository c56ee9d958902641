import { InvalidArgumentError, Option, type Command } from 'commander';
import type { DeclaredOperation } from './operations/declared-operations.ts';
import { forms } from './output/print.ts';

/** Adds the options of an operation command beside the inputs. */
export function addCommonOptions(command: Command, { name, kind, leaves_work }: DeclaredOperation): void {
  if (leaves_work) {
    command
      .option('--wait', 'Wait until the request has ended and print its progress; the exit code is the result.')
      .option('--wait-timeout <seconds>', 'Maximum time to wait.', seconds);
  }
  if (isWatchable(name, kind)) {
    command
      .option('--watch', 'Print changes until the request has ended or Ctrl-C.')
      .option(
        '--interval <seconds>',
        'Seconds between two calls of --watch (default 2; a server sends the changes of a request at once).',
        seconds,
      );
  }
  command.addOption(new Option('-o, --output <form>', 'Format of the result.').choices(forms).default('table'));
  addClientOptions(command);
  const noServer = new Option(
    '--no-server',
    'Start no server: when none runs, this command processes the request until it has ended.',
  );
  // For other operations the option has no effect; scripts may pass it all the same.
  command.addOption(leaves_work ? noServer : noServer.hideHelp());
}

export function addClientOptions(command: Command): void {
  command
    .option('--url <url>', 'URL of the server. Default: the server of the data directory.')
    .option('--config <file>', 'Configuration file. Default: the file that the search finds.')
    .option('--call-timeout <seconds>', 'Time-out of a call (default 60).', seconds);
}

/** Whether an operation shows a state that can be watched. */
export const isWatchable = (name: string, kind: DeclaredOperation['kind']): boolean =>
  kind === 'query' && /^(get|list|sync_and)_/.test(name);

function seconds(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number <= 0)
    throw new InvalidArgumentError('It must be a number of seconds above 0.');
  return number;
}
