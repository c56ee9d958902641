import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Code } from '../../../core/contract/errors.ts';
import { securityHeaders } from '../../http/security-headers.ts';

const reasons: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The call did not arrive in time.'],
};

const fixed = Object.entries({
  'content-type': 'application/json; charset=utf-8',
  ...securityHeaders,
  connection: 'close',
})
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

interface Answering extends Socket {
  /** The answer in progress. The name is Node's. */
  readonly _httpMessage?: ServerResponse<IncomingMessage> | null;
}

/** Answers data that are not valid HTTP, while the connection can still send an answer. */
export function refuseBrokenCall(error: NodeJS.ErrnoException, socket: Answering): void {
  const before = socket._httpMessage;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // A complete call came before the invalid data: the connection closes after the answer to that call.
  if (before && (before.headersSent || before.req.complete)) {
    if (before.writableFinished) socket.destroySoon();
    else before.once('finish', () => socket.destroySoon());
    return;
  }
  const [status, detail] = reasons[error.code ?? ''] ?? ['400 Bad Request', 'This is not a valid HTTP call.'];
  const body = JSON.stringify({ detail, code: 'INVALID_REQUEST' satisfies Code });
  socket.end(
    `HTTP/1.1 ${status}\r\nx-request-id: ${randomUUID()}\r\n${fixed}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
