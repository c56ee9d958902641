import type { NetConnectOpts } from 'node:net';
import { readOwnFile, type OwnFile } from '../../data-directory/own-file.ts';
import type { ServerPlace } from '../../data-directory/server-place.ts';
import { exitCodeHeader } from './script-call.ts';

/** What a script prints, and with what it ends. */
export interface Answer {
  readonly exit_code: 0 | 1;
  readonly output: string;
}

export interface ScriptRequest {
  readonly script: string;
  readonly body: string;
  /** The same for every try of one call. */
  readonly key: string;
}

/** Who listens takes the connection at once. */
const connectMs = 2_000;
/**
 * Giving up a call that may have been carried out would leave machines that nobody asks for: it is waited for as long
 * as the scheduler allows.
 */
const answerMs = 50_000;

/**
 * Asks the server of a data directory. A text says why there is no answer: then no server is there, or it ended
 * meanwhile. Rejects when one has the call and keeps silent. /
 */
export async function exchange(data_directory: string, sent: ScriptRequest): Promise<Answer | string> {
  const address = await addressOf(data_directory);
  return address ? callOnce(address, sent) : 'none runs';
}

/**
 * Where `server.json` says that the server listens. Rejects when another user says so: a call has what machines are
 * started with.
 */
async function addressOf(directory: string): Promise<NetConnectOpts | undefined> {
  const fs = process.getBuiltinModule('node:fs');
  let place: ServerPlace;
  try {
    place = JSON.parse(written(`${directory}/server.json`)) as ServerPlace;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const { socket_path, host, port } = place;
  if (socket_path && fs.existsSync(socket_path)) return { path: socket_path };
  // It never had a socket, or somebody tidied it away. The port of a server that was killed may be anybody's by now,
  // another provider's server too.
  const { isServerProcess } = await import('../../client/running-server.ts');
  return isServerProcess(place) ? { host: /^(0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host, port } : undefined;
}

/** Empty: nobody says, or whoever does may not be asked. */
function written(file: string): string {
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

/** One HTTP call by hand: loading an HTTP client takes longer than the call. */
function callOnce(address: NetConnectOpts, { script, body, key }: ScriptRequest): Promise<Answer | string> {
  const bytes = Buffer.from(body);
  const head = [
    `POST /api/v1/hostfactory/${script} HTTP/1.1`,
    'host: localhost',
    'connection: close',
    'content-type: application/json',
    `content-length: ${bytes.length}`,
    `idempotency-key: ${key}`,
  ].join('\r\n');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = process.getBuiltinModule('node:net').connect(address);
    const give = (answer: Answer | string) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(connectMs);
    socket.once('connect', () => socket.setTimeout(answerMs));
    socket.once('error', (error: NodeJS.ErrnoException) => give(error.code ?? error.message));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('end', () => give(answerIn(Buffer.concat(chunks))));
    socket.once('timeout', () => {
      if (socket.connecting) return give(`no connection within ${connectMs / 1000} s`);
      socket.destroy();
      reject(new Error(`The server has the call and did not answer within ${answerMs / 1000} s.`));
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
  if (end < 0 || body.length !== length) return 'the answer broke off';
  const code = new RegExp(`\\r\\n${exitCodeHeader}: *([01])`, 'i').exec(head)?.[1];
  if (code === undefined) return { exit_code: 1, output: JSON.stringify({ message: refusalIn(body.toString()) }) };
  return { exit_code: code === '0' ? 0 : 1, output: body.toString() };
}

/** What was refused before any script's own code saw it, as a limit or a body that is too large. */
function refusalIn(text: string): string {
  try {
    const { detail, error } = JSON.parse(text) as {
      readonly detail?: string;
      readonly error?: { readonly message?: string };
    };
    return detail ?? error?.message ?? text;
  } catch {
    return 'What answered is no muster server.';
  }
}
