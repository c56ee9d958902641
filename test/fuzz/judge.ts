import type { Outcome } from './play.ts';

/** Milliseconds of the thread that answers everybody. */
export const mostMs = 100;
/** An answer with a list comes to four megabytes, about; agents get theirs twice, as text and as data. */
const mostBytes = 10 * 1024 * 1024;
const mostFindings = 101;

/** What is wrong with how a call was answered, whatever the call; its time apart. */
export function objections({ status, bytes, body }: Pick<Outcome, 'status' | 'bytes' | 'body'>): readonly string[] {
  const wrong: string[] = [];
  if (status >= 500 && status !== 501 && status !== 503) wrong.push(`it was answered ${status}`);
  if (bytes > mostBytes) wrong.push(`the answer has ${bytes} bytes`);
  const findings = findingsIn(body);
  if (findings > mostFindings) wrong.push(`${findings} findings are told`);
  return wrong;
}

function findingsIn(body: string): number {
  if (!body.startsWith('{')) return 0;
  const { error } = JSON.parse(body) as {
    readonly error?: { readonly details?: { readonly findings?: readonly unknown[] } };
  };
  return error?.details?.findings?.length ?? 0;
}
