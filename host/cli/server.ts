import { type Command, InvalidArgumentError } from 'commander';
import { port } from './port.ts';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** What `muster server start` takes. */
export interface StartFlags {
  readonly foreground?: boolean;
  readonly host?: string;
  readonly port?: number;
  readonly config?: string;
  readonly serverLogLevel?: string;
  readonly socketPath?: string;
}

/** `muster server …` */
export function serverCommands(program: Command): void {
  const server = program.command('server').description('Run the broker.');
  server
    .command('start')
    .description('Start the server: REST on a TCP port and on a Unix socket in the data directory.')
    .option('--foreground', 'Stay in the terminal, until SIGINT or SIGTERM.')
    .option('--host <address>', 'Address to listen on (default 127.0.0.1).')
    .option('--port <number>', 'Port to listen on; 0 takes any free one (default 8000).', port)
    .option('--config <file>', 'Configuration file, instead of the one that is found.')
    .option('--server-log-level <level>', `What is logged: ${levels.join(', ')} (default info).`, level)
    .option('--socket-path <path>', 'Unix socket (default muster.sock in the data directory).')
    .action(async (flags: StartFlags) => {
      const { startServer } = await import('./server-start.ts');
      await startServer(flags);
    });
}

function level(text: string): string {
  if (!(levels as readonly string[]).includes(text)) throw new InvalidArgumentError(`It must be one of ${levels.join(', ')}.`);
  return text;
}
