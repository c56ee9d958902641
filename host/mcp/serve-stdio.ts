import { Writable } from 'node:stream';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Terminal } from '../process/terminal.ts';
import type { BrokerAccess } from './sessions/broker-access.ts';
import { mcpServer } from './mcp-server.ts';

/**
 * Serves one client over the streams of this process, until it closes its end or the signal comes. Calls that came
 * before the end are answered.
 */
export async function serveStdio(
  access: BrokerAccess,
  readOnly: boolean,
  terminal: Pick<Terminal, 'err'>,
  stop: AbortSignal,
): Promise<void> {
  const server = mcpServer({ carry: access.carry, read_only: readOnly });
  const transport = new StdioServerTransport(process.stdin, takeStdout());
  const ended = Promise.withResolvers<void>();
  Object.assign(server, {
    onerror: (error: Error) => terminal.err(`muster: ${error.message}\n`),
    onclose: () => ended.resolve(),
  });
  process.stdin.once('end', async () => {
    // What was read last begins in the next turn.
    await turnOfLoop();
    await access.idle();
    ended.resolve();
  });
  stop.addEventListener('abort', () => ended.resolve());
  await server.connect(transport);
  await ended.promise;
  // Answers that are ready are written in the next turns.
  await turnOfLoop();
  await server.close();
}

/**
 * The output of this process for the protocol alone: whatever else writes there writes to the other stream from now
 * on.
 */
function takeStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return new Writable({ decodeStrings: false, write: (chunk: string, _, done) => void write(chunk, () => done()) });
}
