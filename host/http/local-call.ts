import type { IncomingMessage } from 'node:http';

const mark = Symbol('local call');

interface MarkedCall extends IncomingMessage {
  [mark]?: true;
}

/** Marks a call as received over the Unix socket, which only the owner can use. A caller cannot set the mark. */
export function asLocalCall(call: IncomingMessage): IncomingMessage {
  (call as MarkedCall)[mark] = true;
  return call;
}

export const isLocalCall = (call: IncomingMessage): boolean => (call as MarkedCall)[mark] === true;
