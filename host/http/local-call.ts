import type { IncomingMessage } from 'node:http';

const mark = Symbol('local call');

interface MarkedCall extends IncomingMessage {
  [mark]?: true;
}

/** Says of a call that it came over the Unix socket, which only the owner may use. Nothing in a call can say it of itself. */
export function asLocalCall(call: IncomingMessage): IncomingMessage {
  (call as MarkedCall)[mark] = true;
  return call;
}

export const isLocalCall = (call: IncomingMessage): boolean => (call as MarkedCall)[mark] === true;
