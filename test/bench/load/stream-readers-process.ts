/** A process: readers of the event stream, which take what they get, or nothing. */
import { request, type IncomingMessage } from 'node:http';
import { constants, createGunzip } from 'node:zlib';

export type StreamReadersJob =
  | {
      readonly do: 'open';
      readonly url: string;
      readonly readers: number;
      readonly unread: number;
      /** Whether the readers accept compressed answers. */
      readonly gzip: boolean;
    }
  | { readonly do: 'count' }
  | { readonly do: 'close' };

export interface StreamReadersResult {
  /** How many streams are open. */
  readonly open: number;
  /** The fewest events of the readers that count them. */
  readonly events: number;
  /** The fewest bytes of any reader, as a share of the most. */
  readonly least: number;
}

/**
 * How many readers of compressed answers decode them and count the events: real readers run on machines of their own,
 * and a thousand decoders would take the processors from the server here. The others count their bytes.
 */
const decoding = 20;

const answers: IncomingMessage[] = [];
let events: number[] = [];
let bytes: number[] = [];

process.on('message', (job: StreamReadersJob) => void handle(job).then((result) => process.send?.(result)));
process.on('disconnect', () => process.exit());

async function handle(job: StreamReadersJob): Promise<StreamReadersResult> {
  if (job.do === 'open') {
    for (let i = 0; i < job.readers; i++) await openOne(job.url, job.gzip, i < decoding ? countEvents : countBytes);
    for (let i = 0; i < job.unread; i++) await openOne(job.url, job.gzip, () => undefined);
  } else if (job.do === 'close') {
    for (const answer of answers.splice(0)) answer.destroy();
    events = [];
    bytes = [];
  }
  const open = answers.filter(({ destroyed }) => !destroyed).length;
  return { open, events: Math.min(...events), least: Math.min(...bytes) / Math.max(...bytes) };
}

function openOne(url: string, gzip: boolean, read: (answer: IncomingMessage) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream', ...(gzip ? { 'accept-encoding': 'gzip' } : {}) };
    const sent = request(url, { agent: false, headers }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`A stream was refused with ${answer.statusCode}.`));
      answer.on('error', () => undefined);
      answers.push(answer);
      read(answer);
      resolve();
    });
    sent.once('error', reject);
    sent.end();
  });
}

function countBytes(answer: IncomingMessage): void {
  const place = bytes.push(0) - 1;
  answer.on('data', (part: Buffer) => (bytes[place] = (bytes[place] ?? 0) + part.length));
}

function countEvents(answer: IncomingMessage): void {
  const place = events.push(0) - 1;
  const isCompressed = answer.headers['content-encoding'] === 'gzip';
  const body = isCompressed ? answer.pipe(createGunzip({ flush: constants.Z_SYNC_FLUSH })) : answer;
  body.on('error', () => undefined);
  let rest = Buffer.alloc(0);
  body.on('data', (part: Buffer) => {
    const text = Buffer.concat([rest, part]);
    events[place] = (events[place] ?? 0) + occurrences(text);
    // The mark of a message may lie in two parts.
    rest = text.subarray(Math.max(0, text.length - mark.length + 1));
  });
}

/** Begins each message of an event, after its id. */
const mark = '\nevent: ';

function occurrences(part: Buffer): number {
  let count = 0;
  for (let at = part.indexOf(mark); at >= 0; at = part.indexOf(mark, at + 1)) count += 1;
  return count;
}
