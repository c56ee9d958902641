import { Writable } from 'node:stream';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Terminal } from '../process/terminal.ts';
import type { BrokerAccess } from './sessions/broker-access.ts';
import { mcpServer } from './mcp-server.ts';

/**
 * Serves one client over the streams of this process, until the client closes its end or the signal aborts. Answers
 * calls that arrived before the end.
 */
export async function serveStdio(
  access: BrokerAccess,
  readOnly: boolean,
  terminal: Pick<Terminal, 'err'>,
  stop: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const server = mcpServer({ execute: access.execute, watch: access.watch, read_only: readOnly }, over.signal);
  const transport = new StdioServerTransport(process.stdin, takeStdout());
  const ended = Promise.withResolvers<void>();
  Object.assign(server, {
    onerror: (error: Error) => terminal.err(`muster: ${error.message}\n`),
    onclose: () => ended.resolve(),
  });
  process.stdin.once('end', async () => {
    // The last messages are dispatched in the next iteration of the event loop.
    await nextIteration();
    await access.idle();
    ended.resolve();
  });
  stop.addEventListener('abort', () => ended.resolve());
  await server.connect(transport);
  await ended.promise;
  over.abort();
  // Finished answers are written in the next iterations of the event loop.
  await nextIteration();
  await server.close();
}

/** Reserves standard output for the protocol: all other writes go to standard error. */
function takeStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return new Writable({ decodeStrings: false, write: (chunk: string, _, done) => void write(chunk, () => done()) });
}
