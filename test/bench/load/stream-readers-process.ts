/** A process: readers of the event stream, which take what they get, or nothing. */
import { request, type IncomingMessage } from 'node:http';

export type StreamReadersJob =
  | { readonly do: 'open'; readonly url: string; readonly readers: number; readonly unread: number }
  | { readonly do: 'count' }
  | { readonly do: 'close' };

export interface StreamReadersResult {
  /** How many streams are open. */
  readonly open: number;
  /** The fewest and the most events that a reader got. */
  readonly least: number;
  readonly most: number;
}

const answers: IncomingMessage[] = [];
let counts: number[] = [];

process.on('message', (job: StreamReadersJob) => void handle(job).then((result) => process.send?.(result)));
process.on('disconnect', () => process.exit());

async function handle(job: StreamReadersJob): Promise<StreamReadersResult> {
  if (job.do === 'open') {
    for (let i = 0; i < job.readers; i++) await openOne(job.url, true);
    for (let i = 0; i < job.unread; i++) await openOne(job.url, false);
  } else if (job.do === 'close') {
    for (const answer of answers.splice(0)) answer.destroy();
    counts = [];
  }
  const open = answers.filter(({ destroyed }) => !destroyed).length;
  return { open, least: Math.min(...counts, Infinity), most: Math.max(...counts, 0) };
}

function openOne(url: string, reads: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, headers: { accept: 'text/event-stream' } }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`A stream was refused with ${answer.statusCode}.`));
      answer.on('error', () => undefined);
      answers.push(answer);
      if (reads) {
        const place = counts.push(0) - 1;
        // The text `event: ` begins each message; one that two parts share is rare, and counts too little.
        answer.on('data', (part: Buffer) => (counts[place] = (counts[place] ?? 0) + occurrences(part)));
      }
      resolve();
    });
    sent.once('error', reject);
    sent.end();
  });
}

function occurrences(part: Buffer): number {
  let count = 0;
  for (let at = part.indexOf('\nevent: '); at >= 0; at = part.indexOf('\nevent: ', at + 1)) count += 1;
  return count;
}
