/**
 * The program behind ResumeProgram, SuspendProgram and ResumeFailProgram: `slurm-program VERB DATA_DIRECTORY
 * HOSTLIST`. It imports built-in modules only, because its start is most of its time. What Slurm says is sent to the
 * server over its socket, for 8 s; then it is kept in `<data>/slurm-spool`, and the next program that reaches the
 * server sends what is kept first, in its order. Exit code 1: the wish is kept, or was refused.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { connect } from 'node:net';

interface Wish {
  readonly verb: string;
  readonly body: { readonly nodes: string; readonly jobs?: readonly { job_id: number; nodes: string }[] };
}

const retryMs = 8_000;
const answerMs = 30_000;
const [, , verb = '', data_directory = '', nodes = ''] = process.argv;
const spool = `${data_directory}/slurm-spool`;
const say = (text: string): void =>
  void process.stdout.write(`${new Date().toISOString()} ${verb} ${nodes}: ${text}\n`);

if (!['resume', 'suspend', 'resume-fail'].includes(verb) || nodes === '') {
  say('usage: slurm-program resume|suspend|resume-fail DATA_DIRECTORY HOSTLIST');
  process.exit(2);
}

// The file is gone with its slurmctld, so it is read first.
const jobs = verb === 'resume' ? jobsIn(process.env['SLURM_RESUME_FILE']) : [];
const wish: Wish = { verb, body: { nodes, ...(jobs.length > 0 ? { jobs } : {}) } };
process.exitCode = await carry(wish);

function jobsIn(file: string | undefined): { job_id: number; nodes: string }[] {
  if (file === undefined) return [];
  try {
    const { jobs: listed = [] } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly jobs?: readonly {
        readonly job_id?: unknown;
        readonly nodes?: unknown;
        readonly nodes_resume?: unknown;
      }[];
    };
    return listed.flatMap(({ job_id, nodes: old, nodes_resume = old }) =>
      typeof job_id === 'number' && typeof nodes_resume === 'string' && nodes_resume !== ''
        ? [{ job_id, nodes: nodes_resume }]
        : [],
    );
  } catch (error) {
    say(`SLURM_RESUME_FILE cannot be read, so the nodes are ordered without their jobs: ${String(error)}`);
    return [];
  }
}

async function carry(given: Wish): Promise<number> {
  const end = performance.now() + retryMs;
  for (;;) {
    const trouble = (await drain()) ?? (await send(given));
    if (trouble === undefined) return 0;
    if (trouble.refused) {
      say(trouble.why);
      return 1;
    }
    if (performance.now() >= end) {
      keep(given);
      say(`the server is not reached (${trouble.why}); kept for the next call`);
      return 1;
    }
    await new Promise((resolve) => void setTimeout(resolve, 250));
  }
}

interface Trouble {
  readonly why: string;
  readonly refused?: boolean;
  /** The server failed over this call; others may succeed. */
  readonly failed?: boolean;
}

/** Sends what earlier programs kept, oldest first. Undefined: nothing is left. */
async function drain(): Promise<Trouble | undefined> {
  for (const name of keptFiles()) {
    const file = `${spool}/${name}`;
    let kept: Wish;
    try {
      kept = JSON.parse(readFileSync(file, 'utf8')) as Wish;
    } catch (error) {
      // Without the file, another program sent and removed it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') say(`${file} cannot be read: ${String(error)}`);
      continue;
    }
    const trouble = await send(kept);
    if (trouble && !trouble.refused && !trouble.failed) return trouble;
    // The comparison in the server finds what such a call wanted.
    if (trouble) say(`what was kept (${kept.verb} ${kept.body.nodes}) is given up: ${trouble.why}`);
    rmSync(file, { force: true });
  }
  return undefined;
}

/** What earlier programs kept, oldest first. A directory of another user must not cost the present call. */
function keptFiles(): readonly string[] {
  if (!existsSync(spool)) return [];
  try {
    return readdirSync(spool)
      .filter((file) => file.endsWith('.json'))
      .toSorted();
  } catch (error) {
    say(`what earlier calls kept cannot be read: ${String(error)}`);
    return [];
  }
}

/** Keeps a wish durably. The name orders it, also when the clock was set back since the last one. */
function keep(given: Wish): void {
  mkdirSync(spool, { recursive: true, mode: 0o700 });
  const last = Number.parseInt(keptFiles().at(-1) ?? '', 10) || 0;
  const at = Math.max(Date.now(), last + 1);
  const name = `${String(at).padStart(15, '0')}-${process.hrtime.bigint()}-${process.pid}`;
  const file = openSync(`${spool}/${name}.part`, 'w', 0o600);
  writeSync(file, JSON.stringify(given));
  fsyncSync(file);
  closeSync(file);
  renameSync(`${spool}/${name}.part`, `${spool}/${name}.json`);
}

function addressIn(): { path: string } | { host: string; port: number } | undefined {
  try {
    const place = JSON.parse(readFileSync(`${data_directory}/server.json`, 'utf8')) as {
      readonly socket_path?: string | null;
      readonly host: string;
      readonly port: number;
    };
    return place.socket_path ? { path: place.socket_path } : { host: place.host, port: place.port };
  } catch {
    return undefined;
  }
}

/** One HTTP call over a plain socket: loading an HTTP client takes longer than the call. */
function send({ verb: of, body }: Wish): Promise<Trouble | undefined> {
  const address = addressIn();
  if (!address) return Promise.resolve({ why: `no server runs on ${data_directory}` });
  const bytes = Buffer.from(JSON.stringify(body));
  const head = [
    `POST /api/v1/slurm/${of} HTTP/1.1`,
    'host: localhost',
    'connection: close',
    'content-type: application/json',
    `content-length: ${bytes.length}`,
  ].join('\r\n');
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    const socket = connect(address);
    const settle = (trouble: Trouble | undefined) => {
      socket.destroy();
      resolve(trouble);
    };
    socket.setTimeout(answerMs, () => settle({ why: `no answer within ${answerMs / 1000} s` }));
    socket.once('error', (error: NodeJS.ErrnoException) => settle({ why: error.code ?? error.message }));
    socket.on('data', (chunk: Buffer) => void received.push(chunk));
    socket.once('end', () => settle(troubleIn(Buffer.concat(received).toString())));
    socket.write(`${head}\r\n\r\n`);
    socket.write(bytes);
  });
}

function troubleIn(answer: string): Trouble | undefined {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
  if (status === 200) return undefined;
  const why = `${status} ${answer.slice(answer.indexOf('\r\n\r\n') + 4, answer.indexOf('\r\n\r\n') + 500)}`;
  if (status === 500) return { why, failed: true };
  // Later calls may be served: the server starts, is overloaded, other calls came first, or its storage is away.
  return status === 0 || status === 409 || status === 429 || status >= 500 ? { why } : { why, refused: true };
}
