import type { ServerResponse } from 'node:http';
/**
 * A failure by the protocol's own numbers. Not the library's class: that writes the number into the message too, at
 * either end.
 */
export interface ProtocolError extends Error {
  readonly code: number;
  readonly data?: unknown;
}

export const protocolError = (code: number, message: string, data?: unknown): ProtocolError =>
  Object.assign(new Error(message), { code, data });

export const isProtocolError = (error: unknown): error is ProtocolError =>
  error instanceof Error && 'code' in error && typeof error.code === 'number';

/** Refuses a call over HTTP as the protocol has it. */
export function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}
