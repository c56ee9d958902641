import { Agent, request } from 'node:http';

/** How a call ended. `status` 0: without an answer. */
export interface Outcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: any;
  /** The body as it came. */
  readonly raw: string;
  readonly ms: number;
  /** An answer that began and did not come whole. */
  readonly torn: boolean;
}

/** One caller with a connection of its own, which it keeps. */
export class Line {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  /** Never rejects: that there was no answer is an outcome. */
  send(method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    return this.sendText(method, path, body === undefined ? undefined : JSON.stringify(body), more);
  }

  sendText(
    method: string,
    path: string,
    text: string | undefined,
    more: Readonly<Record<string, string>>,
  ): Promise<Outcome> {
    const began = performance.now();
    return new Promise((resolve) => {
      const headers =
        text === undefined
          ? more
          : { ...more, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const none = { status: 0, headers: {}, body: undefined, raw: '' };
      const sent = request(
        { host: '127.0.0.1', port: this.#port, agent: this.#agent, method, path, headers },
        (answer) => {
          let read = '';
          answer.setEncoding('utf8');
          answer.on('data', (chunk: string) => (read += chunk));
          answer.on('error', () => resolve({ ...none, ms: performance.now() - began, torn: true }));
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              body: parsed(read),
              raw: read,
              ms: performance.now() - began,
              torn: !answer.complete,
            }),
          );
        },
      );
      sent.on('error', () => resolve({ ...none, ms: performance.now() - began, torn: false }));
      sent.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
