import type { NetConnectOpts } from 'node:net';
import { readOwnFile, type OwnFile } from '../../data-directory/own-file.ts';
import type { ServerPlace } from '../../data-directory/server-place.ts';
import { programHeaders, thisProgram } from '../../http/calling-program.ts';
import { outgoingTrace } from '../../telemetry/outgoing-trace.ts';
import { exitCodeHeader } from './script-call.ts';

/** The output and the exit code of a script. */
export interface Answer {
  readonly exit_code: 0 | 1;
  readonly output: string;
}

export interface ScriptRequest {
  readonly script: string;
  readonly body: string;
  /** The idempotency key: the same for every attempt of one call. */
  readonly key: string;
}

/** Milliseconds to connect: a listening server accepts at once. */
const connectMs = 2_000;
/**
 * Milliseconds to wait for an answer, as long as the scheduler allows: an abandoned call may have created machines
 * that no caller tracks.
 */
const answerMs = 50_000;

/**
 * Calls the server of a data directory. Returns the answer, or a text that says why there is none: no server runs, or
 * it ended before it answered. Rejects when a server has the call and does not answer.
 */
export async function exchange(data_directory: string, sent: ScriptRequest): Promise<Answer | string> {
  const address = await addressOf(data_directory);
  return address ? callOnce(address, sent) : 'none runs';
}

/**
 * Returns the address in `server.json`. Throws when another user wrote the file: a call contains data with which
 * machines are started.
 */
async function addressOf(directory: string): Promise<NetConnectOpts | undefined> {
  const fs = process.getBuiltinModule('node:fs');
  let place: ServerPlace;
  try {
    place = JSON.parse(readPlaceText(`${directory}/server.json`)) as ServerPlace;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const { socket_path, host, port } = place;
  if (socket_path && fs.existsSync(socket_path)) return { path: socket_path };
  // The server has no socket, or the socket was deleted. Another program may use the port of a killed server by now,
  // even the server of another provider.
  const { isServerProcess } = await import('../../client/running-server.ts');
  return isServerProcess(place) ? { host: /^(0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host, port } : undefined;
}

/** Returns the text of `server.json`; empty when it does not exist or cannot be read. */
function readPlaceText(file: string): string {
  let found: OwnFile;
  try {
    found = readOwnFile(file);
  } catch {
    return '';
  }
  if (found.text !== undefined) return found.text;
  if (found.foreign !== undefined)
    throw new Error(`${file} is not used: ${found.foreign}. Remove it, or set MUSTER_DATA_DIR to another directory.`);
  return '';
}

/** Sends one HTTP call over a plain socket: loading an HTTP client takes longer than the call. */
async function callOnce(address: NetConnectOpts, { script, body, key }: ScriptRequest): Promise<Answer | string> {
  const trace = await outgoingTrace();
  const bytes = Buffer.from(body);
  const head = [
    `POST /api/v1/hostfactory/${script} HTTP/1.1`,
    'host: localhost',
    'connection: close',
    'content-type: application/json',
    `content-length: ${bytes.length}`,
    `idempotency-key: ${key}`,
    ...Object.entries(programHeaders(thisProgram('hostfactory'))).map(([name, value]) => `${name}: ${value}`),
    ...Object.entries(trace ?? {}).map(([name, value]) => `${name}: ${value}`),
  ].join('\r\n');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = process.getBuiltinModule('node:net').connect(address);
    const settle = (answer: Answer | string) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(connectMs);
    socket.once('connect', () => socket.setTimeout(answerMs));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('end', () => settle(answerIn(Buffer.concat(chunks))));
    socket.once('timeout', () => {
      if (socket.connecting) return settle(`no connection within ${connectMs / 1000} s`);
      socket.destroy();
      reject(new Error(`The server received the call and did not answer within ${answerMs / 1000} s.`));
    });
    socket.write(`${head}\r\n\r\n`);
    socket.write(bytes);
  });
}

function answerIn(received: Buffer): Answer | string {
  const end = received.indexOf('\r\n\r\n');
  const head = received.toString('latin1', 0, Math.max(end, 0));
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? Number.NaN);
  const body = received.subarray(end + 4);
  if (end < 0 || body.length !== length) return 'the answer is incomplete';
  const code = new RegExp(`\\r\\n${exitCodeHeader}: *([01])`, 'i').exec(head)?.[1];
  if (code === undefined)
    return { exit_code: 1, output: JSON.stringify({ message: errorMessageIn(body.toString()) }) };
  return { exit_code: code === '0' ? 0 : 1, output: body.toString() };
}

/** Returns the message of an error that the server answered before the script's own code, for example a rate limit. */
function errorMessageIn(text: string): string {
  try {
    const { detail, error } = JSON.parse(text) as {
      readonly detail?: string;
      readonly error?: { readonly message?: string };
    };
    return detail ?? error?.message ?? text;
  } catch {
    return 'The answer does not come from a muster server.';
  }
}
