import { connect, type Socket } from 'node:net';

export interface WireAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** What came over a connection. */
export interface Talk {
  readonly answers: readonly WireAnswer[];
  /** The server closed it. */
  readonly closed: boolean;
}

/**
 * Sends bytes as they are; resolves with that many answers, or with what there is when the server closes. Rejects when
 * neither happens within 20 s.
 */
export function talk(port: number, bytes: string | Buffer, answers = 1): Promise<Talk> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const done = (closed: boolean) => {
      clearTimeout(late);
      socket.destroy();
      resolve({ answers: answersIn(text), closed });
    };
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`Neither ${answers} answers nor the end came; there is: ${text.slice(0, 300)}`));
    }, 20_000);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (answersIn(text).length >= answers) setImmediate(() => done(false));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => done(true));
    socket.write(bytes);
  });
}

/** A connection that is open, and a promise of its end. */
export async function dial(port: number): Promise<{ readonly socket: Socket; readonly ended: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => void socket.once('close', () => resolve(text)));
  await new Promise<void>((resolve) => void socket.once('connect', () => resolve()));
  return { socket, ended };
}

/** Whole answers, one after the other. */
function answersIn(text: string): WireAnswer[] {
  const found: WireAnswer[] = [];
  for (let rest = text; ; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return found;
    const head = rest.slice(0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    if (body.length < length) return found;
    // 100 Continue is no answer yet.
    if (status !== 100) found.push({ status, head, body });
    rest = rest.slice(end + 4 + length);
  }
}
