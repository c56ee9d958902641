import type { ServerResponse } from 'node:http';
/**
 * An error with a number of the protocol. Not the class of the library, which adds the number to the message on both
 * sides.
 */
export interface ProtocolError extends Error {
  readonly code: number;
  readonly data?: unknown;
}

export const protocolError = (code: number, message: string, data?: unknown): ProtocolError =>
  Object.assign(new Error(message), { code, data });

export const isProtocolError = (error: unknown): error is ProtocolError =>
  error instanceof Error && 'code' in error && typeof error.code === 'number';

/** Answers an HTTP call with an error of the protocol. */
export function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}
