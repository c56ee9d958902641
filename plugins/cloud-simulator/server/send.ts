import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Reply } from '../dispatch/dispatch.ts';
import { pause } from './pause.ts';

/** Sends the answer to a call, or applies its fault. Records in the audit entry whether a complete answer was sent. */
export async function send(res: ServerResponse, reply: Reply): Promise<void> {
  if (!(await pause(res, reply.delayMs))) return;
  const late = await laterBody(res, reply);
  if (late === 'gone') return;
  if (late !== undefined) return finish(res, reply, { status: 200, type: reply.type, body: late });
  switch (reply.fault?.then) {
    case 'drop':
      res.destroy();
      return;
    case 'hang':
      return;
    case 'cut':
      cut(res, reply);
      return;
    case 'slow-body':
      await sendSlowly(res, reply, reply.fault.delay_ms ?? 0);
      return;
    case 'html':
      finish(res, reply, {
        status: reply.fault.status ?? 502,
        type: 'text/html',
        body: gatewayPage(reply.fault.status ?? 502),
      });
      return;
    case 'bad-xml':
      finish(res, reply, {
        status: 200,
        type: reply.type,
        body: reply.body.slice(0, Math.ceil(reply.body.length / 2)),
      });
      return;
    default:
      finish(res, reply, { status: reply.status, type: reply.type, body: reply.body });
  }
}

const lookMs = 20;

/** The answer that came while the call waited; undefined: none came. */
async function laterBody(res: ServerResponse, { later }: Reply): Promise<string | 'gone' | undefined> {
  if (later === undefined) return undefined;
  const end = performance.now() + later.ms;
  while (performance.now() < end) {
    if (!(await pause(res, lookMs))) return 'gone';
    const body = later.body();
    if (body !== undefined) return body;
  }
  return undefined;
}

function gatewayPage(status: number): string {
  const title = `${status} ${status === 502 ? 'Bad Gateway' : 'Gateway'}`;
  return `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center></body></html>`;
}

function finish(
  res: ServerResponse,
  reply: Reply,
  page: { readonly status: number; readonly type: string; readonly body: string },
): void {
  noteAnswer(res, reply);
  // Node would join a string body with the head, and so copy a page of three megabytes again; it sends a buffer as it
  // is.
  const bytes = Buffer.from(page.body);
  res.writeHead(page.status, head(reply, page.type, bytes.length));
  res.end(bytes);
}

function cut(res: ServerResponse, reply: Reply): void {
  const [first] = halves(res, reply);
  res.write(first, () => res.destroy());
}

async function sendSlowly(res: ServerResponse, reply: Reply, delayMs: number): Promise<void> {
  const [first, second] = halves(res, reply);
  res.write(first);
  if (!(await pause(res, delayMs))) return;
  noteAnswer(res, reply);
  res.end(second);
}

/** Sends the head for the whole body, and returns the body in two halves. */
function halves(res: ServerResponse, reply: Reply): readonly [first: Buffer, second: Buffer] {
  const body = Buffer.from(reply.body);
  res.writeHead(reply.status, head(reply, reply.type, body.length));
  const middle = Math.ceil(body.length / 2);
  return [body.subarray(0, middle), body.subarray(middle)];
}

function noteAnswer(res: ServerResponse, { entry }: Reply): void {
  if (entry !== undefined) res.once('finish', () => void (entry.answered = true));
}

function head({ requestId, date, headers: own }: Reply, type: string, length: number): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {
    'content-type': type,
    'content-length': length,
    'x-amzn-requestid': requestId,
    ...own,
  };
  return date === undefined ? headers : { ...headers, date: new Date(date).toUTCString() };
}
