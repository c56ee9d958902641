import { lstatSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { BrokerError } from '../../core/contract/errors.ts';
import type { Log } from '../../core/contract/log.ts';
import { asLocalCall } from './local-call.ts';

// A static import of node:http evaluates all of its exports, including a WebSocket client: 10 MB and 20 ms for
// nothing.
const { createServer } = process.getBuiltinModule('node:http');

/** The longest path of a Unix socket address, in bytes. */
const longestPath = 107;

/**
 * Frees the path of a socket: removes a socket that a killed server left behind, and nothing else. Returns null, with
 * a warning, when the path is too long. Throws CONFLICT when a server listens there; INVALID_CONFIGURATION when the
 * path is not a socket or cannot be removed.
 */
export async function freeSocketPath(path: string, log: Log): Promise<string | null> {
  if (Buffer.byteLength(path) > longestPath) {
    log.warn(
      { socket_path: path },
      `The server opens no socket: the path has ${Buffer.byteLength(path)} bytes, the maximum is ${longestPath}. Set server.socket_path to a shorter path.`,
    );
    return null;
  }
  if (!isThere(path)) return path;
  if (await answers(path))
    throw new BrokerError(
      'CONFLICT',
      `Another server listens on the socket ${path}. Stop it, or choose another with --socket-path.`,
    );
  // Another process may have replaced the file in the meantime.
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
    `${path} is not a socket and is not removed. Choose a free path with --socket-path.`,
  );
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** Frees the path and serves on the socket. Undefined, with a warning, when the path is too long. */
export async function listenOnSocket(path: string, serve: Serve, log: Log): Promise<Server | undefined> {
  return (await freeSocketPath(path, log)) === null ? undefined : serveOnSocket(path, serve);
}

/** Serves calls on a Unix socket that only its owner can use. The path must be free. */
export async function serveOnSocket(path: string, serve: Serve): Promise<Server> {
  const answer: Serve = (request, response) => serve(asLocalCall(request), response);
  const server = createServer({ requestTimeout: 60_000, requireHostHeader: false }, answer).on(
    'checkExpectation',
    answer,
  );
  try {
    await listen(server, path);
  } catch (error) {
    throw refused(path, error);
  }
  return server;
}

/**
 * Runs `make`, which creates a socket synchronously, with a umask that gives only the owner access. A later chmod
 * would leave a moment in which other users can connect.
 */
export function withOwnerOnlyMode<T>(make: () => T): T {
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
    withOwnerOnlyMode(() =>
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
