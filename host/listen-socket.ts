import { chmodSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { BrokerError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';

// Importing node:http by name makes every one of its exports, and with them a whole WebSocket client: 10 MB and 20 ms for nothing.
const { createServer } = process.getBuiltinModule('node:http');

/** The longest path that a socket's address holds. */
const longestPath = 107;

/** Serves the same calls on a Unix socket that only the owner may use. Undefined, with a warning, where the path is too long for one. */
export async function listenOnSocket(
  path: string,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
  log: Log,
): Promise<Server | undefined> {
  if (Buffer.byteLength(path) > longestPath) {
    log.warn(
      { socket_path: path },
      `No socket: its path has ${Buffer.byteLength(path)} bytes and ${longestPath} are the most. Set server.socket_path to a shorter one.`,
    );
    return undefined;
  }
  const server = createServer({ requestTimeout: 60_000 }, serve);
  try {
    await listen(server, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw refused(path, error);
    if (await answers(path))
      throw new BrokerError('CONFLICT', `Another server listens on the socket ${path}. Stop it, or choose another with --socket-path.`);
    // What a server left behind that was killed.
    rmSync(path, { force: true });
    await listen(server, path);
  }
  chmodSync(path, 0o600);
  return server;
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(2_000, () => done(true));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

function refused(path: string, cause: unknown): BrokerError {
  const { code } = cause as NodeJS.ErrnoException;
  return new BrokerError(
    'INVALID_CONFIGURATION',
    `The socket ${path} cannot be opened (${code}). Choose another with --socket-path.`,
    {},
    { cause },
  );
}
