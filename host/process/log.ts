import { destination, pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import { callId } from '../http/call-context.ts';

export interface LogOptions {
  /** Texts that are masked in every line, wherever they occur. */
  readonly secrets?: readonly string[];
  /** Fields that are added to every line. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** The stream. Default: stderr. */
  readonly to?: DestinationStream;
}

/**
 * Creates a log of JSON lines on stderr; stdout is for results. Lines are written synchronously, so that the last line
 * before a crash is written. Lines of a call carry its `x_request_id`.
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

/** The shortest secret that is masked, in characters: shorter texts would mask ordinary text. */
const shortest = 8;

function maskOf(secrets: readonly string[]): ((line: string) => string) | undefined {
  // Plain and JSON-escaped. Longest first, since one secret may contain another.
  const texts = secrets
    .filter((secret) => secret.length >= shortest)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const unique = [...new Set(texts)].toSorted((a, b) => b.length - a.length);
  if (unique.length === 0) return undefined;
  return (line) =>
    unique.reduce((text, secret) => (text.includes(secret) ? text.replaceAll(secret, '***') : text), line);
}
