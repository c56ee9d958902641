import type { ServerResponse } from 'node:http';

/** Refuses a call over HTTP as the protocol has it. */
export function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}
