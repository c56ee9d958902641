import { InvalidArgumentError, Option, type Command } from 'commander';
import type { DeclaredOperation } from './operations/declared-operations.ts';
import { forms } from './output/print.ts';

/** The options that operations have beside their inputs. */
export function addCommonOptions(command: Command, { name, kind, leaves_work }: DeclaredOperation): void {
  if (leaves_work) {
    command
      .option('--wait', 'Wait until it has ended, telling how it goes on; the exit code says how.')
      .option('--wait-timeout <seconds>', 'Wait no longer than this.', seconds);
  }
  if (isWatchable(name, kind)) {
    command
      .option('--watch', 'Look again and again, until it has ended or Ctrl-C; print what changed.')
      .option('--interval <seconds>', 'Between two looks of --watch (default 2).', seconds);
  }
  command.addOption(new Option('-o, --output <form>', 'How the result is printed.').choices(forms).default('table'));
  addClientOptions(command);
  const noServer = new Option(
    '--no-server',
    'Start no server: without one, the request is carried out by this command, until it has ended.',
  );
  // Elsewhere it changes nothing, and scripts may give it all the same.
  command.addOption(leaves_work ? noServer : noServer.hideHelp());
}

export function addClientOptions(command: Command): void {
  command
    .option('--url <url>', 'The server to ask, instead of the one of the data directory.')
    .option('--config <file>', 'Configuration file, instead of the one that is found.')
    .option('--call-timeout <seconds>', 'How long an answer may take (default 60).', seconds);
}

/** Those that show how something stands. */
export const isWatchable = (name: string, kind: DeclaredOperation['kind']): boolean =>
  kind === 'query' && /^(get|list|sync_and)_/.test(name);

function seconds(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number <= 0)
    throw new InvalidArgumentError('It must be a number of seconds above 0.');
  return number;
}
