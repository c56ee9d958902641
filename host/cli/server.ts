import { type Command, InvalidArgumentError } from 'commander';
import { addExamples } from './examples.ts';
import { optionOf } from './option-names.ts';
import { port } from './port.ts';
import { addServerControl } from './server-control.ts';
import type { Cli } from './cli.ts';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** What `muster server start` takes. */
export interface StartFlags {
  readonly foreground?: boolean;
  readonly host?: string;
  readonly port?: number;
  readonly config?: string;
  readonly serverLogLevel?: string;
  readonly socketPath?: string;
  readonly workers?: number;
  readonly apiOnly?: boolean;
  readonly reload?: boolean;
}

/** `muster server …` */
export function serverCommands(program: Command, cli: Cli): void {
  const server = program.command('server').description('Run the broker.');
  const start = server
    .command('start')
    .description('Start the server, in the background: REST on a TCP port and on a Unix socket in the data directory.')
    .option('--foreground', 'Stay in the terminal, until SIGINT or SIGTERM.')
    .option('--host <address>', 'Address to listen on (default 127.0.0.1).')
    .option('--port <number>', 'Port to listen on; 0 takes any free one (default 8000).', port)
    .option('--config <file>', 'Configuration file, instead of the one that is found.')
    .option('--server-log-level <level>', `What is logged: ${levels.join(', ')} (default info).`, level)
    .option('--socket-path <path>', 'Unix socket (default muster.sock in the data directory).')
    .option('--workers <number>', 'Processes that serve HTTP, 1 to 64 (default 1). One more beside them carries requests out.', workers)
    .option('--api-only', 'Serve HTTP on the storage of another server and carry nothing out. Any number may run beside it.')
    .option('--reload', 'For development: start anew when sources, plugins or the configuration change.')
    .action(async (flags: StartFlags) => {
      for (const only of ['reload', 'apiOnly'] as const)
        if (flags[only] && !flags.foreground) server.error(`error: option '${optionOf(only)}' needs --foreground`);
      if (flags.reload) {
        const { startWithReload } = await import('./reload.ts');
        return startWithReload(process.argv);
      }
      if (!flags.foreground) {
        const { startBackgroundServer } = await import('./server-background.ts');
        cli.code = await startBackgroundServer(flags, cli.terminal);
        return;
      }
      const { startServer } = await import('./server-start.ts');
      await startServer(flags);
    });
  addExamples(start, [['muster server start --port 8000']]);
  addServerControl(server, cli);
}

function workers(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 64) throw new InvalidArgumentError('It must be a number from 1 to 64.');
  return number;
}

function level(text: string): string {
  if (!(levels as readonly string[]).includes(text)) throw new InvalidArgumentError(`It must be one of ${levels.join(', ')}.`);
  return text;
}
