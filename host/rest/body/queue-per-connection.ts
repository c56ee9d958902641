import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Maximum number of calls of one connection that run at the same time. Few clients send another call before the answer
 * to the previous one.
 */
const maxActive = 8;
/** Maximum number of calls of one connection that wait: more than any client pipelines. */
const maxWaiting = 100;

interface Queue {
  active: number;
  readonly waiting: (() => void)[];
}

const mark = Symbol('calls of this connection');

interface MarkedSocket extends Socket {
  [mark]?: Queue;
}

/**
 * Runs `go` at once while few calls of the connection are active, else after earlier calls of the connection. Without
 * the bound, the pipelined calls of one client would all run at once and delay every other client. Closes a connection
 * on which too many calls wait.
 */
export function queuePerConnection(
  { socket }: Pick<IncomingMessage, 'socket'>,
  answer: Pick<ServerResponse, 'on'>,
  go: () => void,
): void {
  const queue = queueOf(socket);
  // The event `close` occurs once per answer.
  answer.on('close', () => {
    const next = queue.waiting.shift();
    if (next) next();
    else queue.active -= 1;
  });
  if (queue.active < maxActive) {
    queue.active += 1;
    go();
  } else if (queue.waiting.length < maxWaiting) queue.waiting.push(go);
  else {
    queue.waiting.length = 0;
    socket.destroy();
  }
}

const queueOf = (socket: MarkedSocket): Queue => (socket[mark] ??= { active: 0, waiting: [] });
