import { lstatSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { BrokerError } from '../../core/contract/errors.ts';
import type { Log } from '../../core/contract/log.ts';
import { asLocalCall } from './local-call.ts';

// Importing node:http by name makes every one of its exports, and with them a whole WebSocket client: 10 MB and 20 ms for nothing.
const { createServer } = process.getBuiltinModule('node:http');

/** The longest path that a socket's address holds. */
const longestPath = 107;

/**
 * Makes room for a socket: one that a server left behind that was killed is removed, and nothing else ever is. Null, with a warning, where the path is
 * too long for one; CONFLICT when somebody answers there; INVALID_CONFIGURATION when something lies there that is no socket, or cannot be removed.
 */
export async function freeSocketPath(path: string, log: Log): Promise<string | null> {
  if (Buffer.byteLength(path) > longestPath) {
    log.warn(
      { socket_path: path },
      `No socket: its path has ${Buffer.byteLength(path)} bytes and ${longestPath} are the most. Set server.socket_path to a shorter one.`,
    );
    return null;
  }
  if (!isThere(path)) return path;
  if (await answers(path))
    throw new BrokerError('CONFLICT', `Another server listens on the socket ${path}. Stop it, or choose another with --socket-path.`);
  // Somebody may have put something else there meanwhile.
  if (!isThere(path)) return path;
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw refused(path, error);
  }
  return path;
}

function isThere(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return false;
  if (found.isSocket()) return true;
  throw new BrokerError(
    'INVALID_CONFIGURATION',
    `${path} is no socket and stays as it is. Choose a path where nothing is with --socket-path.`,
  );
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** Makes room for the socket and serves on it. Undefined, with a warning, where the path is too long for one. */
export async function listenOnSocket(path: string, serve: Serve, log: Log): Promise<Server | undefined> {
  return (await freeSocketPath(path, log)) === null ? undefined : serveOnSocket(path, serve);
}

/** Serves the same calls on a Unix socket that only the owner may use, at a path that is free. */
export async function serveOnSocket(path: string, serve: Serve): Promise<Server> {
  const answer: Serve = (request, response) => serve(asLocalCall(request), response);
  const server = createServer({ requestTimeout: 60_000, requireHostHeader: false }, answer).on('checkExpectation', answer);
  try {
    await listen(server, path);
  } catch (error) {
    throw refused(path, error);
  }
  return server;
}

/** Runs what makes a socket, at once, so that only the owner may use it from its first moment: a mode that is set later comes too late for who was quick. */
export function ownersAlone<T>(make: () => T): T {
  const before = process.umask(0o177);
  try {
    return make();
  } finally {
    process.umask(before);
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    ownersAlone(() =>
      server.listen(path, () => {
        server.off('error', reject);
        resolve();
      }),
    );
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
