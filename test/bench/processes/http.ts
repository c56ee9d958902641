import { request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

/** One call on a connection of its own. */
export function call(url: string, method = 'GET', body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          type: answer.headers['content-type'] ?? '',
          body: Buffer.concat(chunks),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The body of a call that must succeed, as JSON. */
export async function json(url: string, method = 'GET', body?: object): Promise<any> {
  const answer = await call(url, method, body === undefined ? undefined : JSON.stringify(body));
  if (answer.status >= 300) throw new Error(`${method} ${url} answered ${answer.status}: ${answer.body.toString()}`);
  return JSON.parse(answer.body.toString());
}
