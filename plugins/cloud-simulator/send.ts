import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Reply } from './dispatch.ts';

/** Answers a call, or lets the answer go wrong as its fault says. The audit line learns whether a whole answer went out. */
export async function send(res: ServerResponse, reply: Reply): Promise<void> {
  if (reply.delayMs > 0) await wait(reply.delayMs, undefined, { ref: false });
  if (res.destroyed || res.socket?.destroyed) return;
  switch (reply.fault?.then) {
    case 'drop':
      res.destroy();
      return;
    case 'hang':
      return;
    case 'cut':
      cut(res, reply);
      return;
    case 'html':
      finish(res, reply, reply.fault.status ?? 502, 'text/html', gatewayPage);
      return;
    case 'bad-xml':
      finish(res, reply, 200, 'text/xml;charset=UTF-8', reply.body.slice(0, Math.ceil(reply.body.length / 2)));
      return;
    default:
      finish(res, reply, reply.status, 'text/xml;charset=UTF-8', reply.body);
  }
}

const gatewayPage = '<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>';

function finish(res: ServerResponse, reply: Reply, status: number, type: string, body: string): void {
  const { entry } = reply;
  if (entry !== undefined) res.once('finish', () => void (entry.answered = true));
  res.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), 'x-amzn-requestid': reply.requestId });
  res.end(body);
}

function cut(res: ServerResponse, reply: Reply): void {
  const body = Buffer.from(reply.body);
  res.writeHead(reply.status, {
    'content-type': 'text/xml;charset=UTF-8',
    'content-length': body.length,
    'x-amzn-requestid': reply.requestId,
  });
  res.write(body.subarray(0, Math.ceil(body.length / 2)), () => res.destroy());
}
