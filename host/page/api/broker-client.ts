/** A call that the broker refused, or that did not reach it (`status` 0). The message is for people. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** Seconds after which the broker asks to be called again. */
  readonly retry_after_s: number | undefined;

  constructor(status: number, code: string, message: string, retry_after_s?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.retry_after_s = retry_after_s;
  }
}

/** By how much the clock of the broker is ahead of that of this computer, in milliseconds. */
let ahead_ms = 0;

/** The present time by the clock of the broker, to which all times in its answers belong. */
export const brokerNow = (): number => Date.now() + ahead_ms;

/** Reads a public route. */
export const read = <T>(path: string, signal?: AbortSignal): Promise<T> => call<T>('GET', path, undefined, signal);

/** Calls a public route that queries with a body, or that changes something. */
export const send = <T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T> =>
  call<T>(method, path, body);

async function call<T>(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const answer = await fetch(path, {
    method,
    // Whatever scheduler the broker has, the page reads muster's own format.
    headers: {
      accept: 'application/json',
      'x-scheduler': 'default',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : new Refusal(0, 'UNREACHABLE', 'The broker does not answer.');
  });
  compareClocks(answer.headers.get('date'));
  const text = await answer.text();
  const value = textAsJson(text);
  if (answer.ok) return value as T;
  const { detail, code, error } = (value ?? {}) as {
    readonly detail?: string;
    readonly code?: string;
    readonly error?: { readonly code?: string; readonly message?: string };
  };
  const retry = Number(answer.headers.get('retry-after') ?? Number.NaN);
  throw new Refusal(
    answer.status,
    code ?? error?.code ?? String(answer.status),
    detail ?? error?.message ?? `The broker answered ${answer.status}.`,
    Number.isFinite(retry) ? retry : undefined,
  );
}

/** The header has whole seconds, so that smaller differences mean nothing. */
function compareClocks(date: string | null): void {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return;
  const difference = theirs + 500 - Date.now();
  ahead_ms = Math.abs(difference) < 2_000 ? 0 : difference;
}

function textAsJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
