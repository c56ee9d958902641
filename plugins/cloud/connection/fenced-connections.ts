import { AsyncLocalStorage } from 'node:async_hooks';
import type { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

const sending = new AsyncLocalStorage<() => void>();

/**
 * Sends a call over a connection of a `fenced` agent. `fence` is called once, when the connection stands, directly
 * before the first byte of the call. When it throws, nothing of the call is sent, and the call fails with that error.
 */
export const sendFenced = <T>(fence: () => void, send: () => T): T => sending.run(fence, send);

type Given = (error: Error | null, socket?: Socket) => void;

interface Connecting {
  createConnection(options: object, given?: Given): Socket | undefined;
}

export interface FencedOptions {
  /** Milliseconds after which a connection that does not stand is given up, if its call was not given up before. */
  readonly connect_ms: number;
  /** The agent is one of https, and uses a proxy for each connection: it calls back with the one to the server. */
  readonly tunnels: boolean;
}

/**
 * Makes an agent give a connection to its call when it stands. An agent of Node gives a new connection to its call at
 * once, and the call is sent some round trips later, when the connection stands. A process that is stopped in between
 * would send its call when it continues, although another process may have taken over its work long ago. The agent
 * must open a connection for each call: it has neither `keepAlive` nor `maxSockets`. It sends no call without a fence.
 */
export function fenced<A extends Agent>(agent: A, { connect_ms, tunnels }: FencedOptions): A {
  const connecting = agent as unknown as Connecting;
  const connect = connecting.createConnection.bind(agent);
  connecting.createConnection = (options, given = () => undefined) => {
    const fence = sending.getStore();
    const opened: Given = (failure, socket) => {
      if (failure || !socket) return given(failure);
      whenStanding(socket, connect_ms, (error) => {
        try {
          if (error) throw error;
          if (!fence) throw new Error('A call that changes the cloud has no fence.');
          fence();
        } catch (refusal) {
          socket.destroy();
          return given(refusal as Error);
        }
        given(null, socket);
      });
    };
    if (tunnels) connect(options, opened);
    else opened(null, connect(options));
    // The agent would use a connection that is returned at once.
    return undefined;
  };
  return agent;
}

/** Calls back once: when a connection stands, with its TLS, or when it will not. */
function whenStanding(socket: Socket, withinMs: number, done: (error?: Error) => void): void {
  const isSecure = socket instanceof TLSSocket;
  if (!socket.connecting && !(isSecure && ['unknown', null].includes(socket.getProtocol()))) return done();
  const stands = isSecure ? 'secureConnect' : 'connect';
  const timer = setTimeout(() => socket.destroy(), withinMs);
  const end = (error?: Error): void => {
    clearTimeout(timer);
    socket.off(stands, ready).off('error', end).off('close', closed);
    done(error);
  };
  const ready = (): void => end();
  const closed = (): void => end(new Error('The connection was closed before it was established.'));
  socket.on(stands, ready).on('error', end).on('close', closed);
}
