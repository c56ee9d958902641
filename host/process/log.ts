import { destination, pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import { callId } from '../http/call-context.ts';

export interface LogOptions {
  /** Texts that no line may hold, wherever they come from: each is masked. */
  readonly secrets?: readonly string[];
  /** In every line. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** Default: stderr. */
  readonly to?: DestinationStream;
}

/**
 * A log of JSON lines on stderr; stdout is for people. Written at once, so that the last line before a crash is there. Lines that belong to a call
 * carry its `x_request_id`.
 */
export function stderrLog(level: string, { secrets = [], about, to }: LogOptions = {}): Logger {
  const masked = maskOf(secrets);
  return pino(
    {
      level,
      base: about ?? null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => {
        const x_request_id = callId();
        return x_request_id === undefined ? {} : { x_request_id };
      },
      ...(masked ? { hooks: { streamWrite: masked } } : {}),
    },
    to ?? destination({ dest: 2, sync: true }),
  );
}

/** Shorter ones would mask half of what is written. */
const shortest = 8;

function maskOf(secrets: readonly string[]): ((line: string) => string) | undefined {
  // As they are, and as they stand in JSON. The longest first: one may be part of another.
  const texts = secrets.filter((secret) => secret.length >= shortest).flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const unique = [...new Set(texts)].toSorted((a, b) => b.length - a.length);
  if (unique.length === 0) return undefined;
  return (line) => unique.reduce((text, secret) => (text.includes(secret) ? text.replaceAll(secret, '***') : text), line);
}
