import { isFault, ProviderFault, type FaultKind } from '../../../core/index.ts';
import { noCredentials, refusedCredentials, uselessCredentials } from './credential-words.ts';
import { kindOfCode } from './fault-codes.ts';

/** What the caller of the SDK knows of the call that failed. */
export interface FaultContext {
  /** What was asked, for people: the action's name. */
  readonly action: string;
  /** The call changes the cloud: of what broke off on its way nobody knows whether it was done. */
  readonly mutating: boolean;
  /** The request was handed to the network. Default: as far as anybody knows. */
  readonly sent?: boolean;
  /** Texts that must not appear in any message. */
  readonly secrets?: readonly string[];
  /** Whose call it was: messages about credentials say so. */
  readonly instance?: string;
}

/** What each call says; the rest its session knows. */
export type CallContext = Omit<FaultContext, 'secrets' | 'instance'>;

interface Thrown {
  readonly name?: string;
  readonly code?: string;
  readonly Code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  readonly $retryable?: object;
}

/** Nothing reached the cloud. */
const notSent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EMFILE',
]);

const longest = 600;

/**
 * Turns whatever the SDK threw into a fault. A fault stays itself, except that one of credentials says whose they are.
 * The code decides where
 * the cloud sent one; else what is known of the connection does: a changing call that was sent and not answered
 * readably is `unknown-outcome`,
 * never `unavailable`.
 */
export function faultOf(error: unknown, context: FaultContext): ProviderFault {
  if (isFault(error)) return named(error, context.instance);
  const thrown = (typeof error === 'object' && error !== null ? error : { message: String(error) }) as Thrown;
  const status = thrown.$metadata?.httpStatusCode;
  const code = codeOf(thrown, status);
  const whole = clean(thrown.message ?? '', context.secrets ?? []);
  const text = whole.length > longest ? `${whole.slice(0, longest)} …` : whole;
  const kind = kindOf(thrown, code, text, status, context);
  const shown = code ?? networkCode(thrown) ?? thrown.name ?? 'Unknown';
  const said =
    text === '' || text === 'UnknownError' ? 'The cloud gave no reason.' : /[.!?]$/.test(text) ? text : `${text}.`;
  const cause = { name: thrown.name, code: shown, status, request_id: thrown.$metadata?.requestId, said: whole };
  return new ProviderFault(kind, messageOf(kind, shown, said, context), { code: shown, cause });
}

function messageOf(kind: FaultKind, code: string, said: string, { action, instance }: FaultContext): string {
  const coded = `${said} Error Code: ${code}`;
  if (kind !== 'credentials') return `${action}: ${coded}`;
  // The SDK looked for some, and asked nobody.
  if (code.endsWith('ProviderError')) return noCredentials({ instance, said: coded });
  return refusedCredentials({ instance, said: `${action}: ${coded}` }, code);
}

/** What our own code found out about credentials, with whose they are. */
function named(fault: ProviderFault, instance: string | undefined): ProviderFault {
  const { kind, message, code } = fault;
  if (kind !== 'credentials' || instance === undefined || message.includes(`of '${instance}'`)) return fault;
  return new ProviderFault(kind, uselessCredentials({ instance, said: message }), {
    ...(code === undefined ? {} : { code }),
    cause: fault,
  });
}

function kindOf(
  thrown: Thrown,
  code: string | undefined,
  text: string,
  status: number | undefined,
  context: FaultContext,
): FaultKind {
  const { mutating, sent } = context;
  const broken: FaultKind = mutating && sent !== false ? 'unknown-outcome' : 'unavailable';
  if (code !== undefined) {
    const kind = kindOfCode(code, text);
    if (code === 'RequestResourceCountExceeded' && !mutating) return 'throttled';
    if (kind === 'transient') return broken;
    if (kind !== undefined) return kind;
    if (status === 429) return 'throttled';
    return status !== undefined && status >= 500 ? broken : 'invalid';
  }
  // Before anything is sent, the SDK looks for credentials: in files, in the environment, at the metadata service.
  if (/CredentialsProviderError|TokenProviderError/.test(thrown.name ?? '')) return 'credentials';
  if (status === 429) return 'throttled';
  if (status === 401 || status === 403) return 'credentials';
  // Not the cloud's own words: a proxy or gateway turned the call away.
  if (status !== undefined && status >= 400 && status < 500) return 'unavailable';
  if (notSent.has(networkCode(thrown) ?? '') || /did not establish a connection/.test(thrown.message ?? ''))
    return 'unavailable';
  // Half of a surrogate pair stands in no call, nor would it if it were repeated.
  if (thrown.name === 'URIError') return 'invalid';
  // The SDK checks parameters before it sends them.
  if (sent === false && (thrown.name === 'TypeError' || thrown.name === 'RangeError')) return 'invalid';
  return broken;
}

/** The code that the cloud sent. What only the SDK made up (`Unknown`, `TimeoutError`, `Error`) is none. */
function codeOf(thrown: Thrown, status: number | undefined): string | undefined {
  if (status === undefined || status < 300) return undefined;
  const code = thrown.Code ?? (thrown.name === 'Error' || thrown.name === 'TypeError' ? undefined : thrown.name);
  return code === undefined ||
    code === 'Unknown' ||
    code === 'UnknownError' ||
    code === 'TimeoutError' ||
    code === 'AbortError'
    ? undefined
    : code.replace(/Fault$/, '');
}

const networkCode = (thrown: Thrown): string | undefined =>
  typeof thrown.code === 'string' ? thrown.code : undefined;

/** Without secrets, access keys, encoded authorization messages and markup. */
function clean(message: string, secrets: readonly string[]): string {
  let text = message;
  for (const secret of secrets) if (secret.length >= 4) text = text.replaceAll(secret, '***');
  return text
    .replace(/\b(AKIA|ASIA)[A-Z0-9]{12,}\b/g, '***')
    .replace(/\bAWS4-HMAC-SHA256[\s\S]*/g, '***')
    .replace(/\bEncoded authorization failure message: \S+/g, '')
    .replace(/\s*Deserialization error: to see the raw response[\s\S]*$/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
