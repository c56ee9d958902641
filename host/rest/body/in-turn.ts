import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Calls of one connection that are carried out at once. Few callers send a second one before they have the answer to the first. */
const atOnce = 8;
/** Calls of one connection that may wait for those before them: beyond what any caller sends ahead. */
const mostWaiting = 100;

interface Line {
  under_way: number;
  readonly waiting: (() => void)[];
}

const mark = Symbol('calls of this connection');

interface MarkedSocket extends Socket {
  [mark]?: Line;
}

/**
 * Lets a call go on when its connection has few others under way, else after those before it: what one caller sends ahead, without waiting for answers, would
 * else all be worked on at once, and everybody else would wait for it. A connection on which too many wait is closed.
 */
export function inTurn({ socket }: Pick<IncomingMessage, 'socket'>, answer: Pick<ServerResponse, 'on'>, go: () => void): void {
  const line = lineOf(socket);
  // It comes once.
  answer.on('close', () => {
    const next = line.waiting.shift();
    if (next) next();
    else line.under_way -= 1;
  });
  if (line.under_way < atOnce) {
    line.under_way += 1;
    go();
  } else if (line.waiting.length < mostWaiting) line.waiting.push(go);
  else {
    line.waiting.length = 0;
    socket.destroy();
  }
}

const lineOf = (socket: MarkedSocket): Line => (socket[mark] ??= { under_way: 0, waiting: [] });
