import { InvalidArgumentError, type Command } from 'commander';
import type { McpFlags } from '../../mcp/serve.ts';
import { addClientOptions } from '../common-options.ts';
import { addExamples, type Example } from '../examples.ts';
import { port } from '../port.ts';
import type { Cli } from '../cli.ts';

const examples: readonly Example[] = [
  ['muster mcp serve', 'for one agent that starts the server, over stdin and stdout'],
  ['muster mcp serve --read-only', 'the same, without tools that change anything'],
  ['muster mcp serve --http --port 8001', 'for any number of agents, at http://127.0.0.1:8001/mcp'],
];

/** `muster mcp …` */
export function mcpCommands(program: Command, { terminal }: Cli): void {
  const mcp = program.command('mcp').description('Serve agents over the Model Context Protocol.');
  addExamples(mcp, examples);
  const serve = mcp
    .command('serve')
    .description('Offer every operation as a tool, over stdin and stdout or over HTTP.')
    .option('--read-only', 'Offer only tools that change nothing.')
    .option('--http', 'Serve streamable HTTP instead of stdin and stdout.')
    .option('--host <address>', 'With --http: address to listen on (default 127.0.0.1).')
    .option('--port <number>', 'With --http: port to listen on; 0 means any free port (default 8001).', port)
    .option(
      '--allow-host <name>',
      'With --http: a further host name under which clients may call the server; repeatable.',
      each,
    )
    .option(
      '--allow-origin <origin>',
      'With --http: a further origin whose web pages may call the server; repeatable.',
      origin,
    );
  addExamples(serve, examples);
  addClientOptions(serve);
  serve.action(async (flags: McpFlags) => {
    const needsHttp = (['host', 'port', 'allowHost', 'allowOrigin'] as const).find(
      (name) => !flags.http && flags[name] !== undefined,
    );
    if (needsHttp)
      serve.error(`error: --${needsHttp.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)} needs --http`);
    const { serveMcp } = await import('../../mcp/serve.ts');
    await serveMcp(flags, terminal);
  });
}

const each = (text: string, earlier: readonly string[] = []): readonly string[] => [...earlier, text];

function origin(text: string, earlier: readonly string[] = []): readonly string[] {
  if (URL.canParse(text) && new URL(text).origin === text) return [...earlier, text];
  throw new InvalidArgumentError('It must be an origin, like https://example.org.');
}
