import { isFault, ProviderFault, type FaultKind } from '../../../core/index.ts';
import { withoutEncodedMessage } from './encoded-message.ts';
import { adviceFor, kindOfCode, meaningOfCode } from './fault-codes.ts';

/** The context of the call that failed. */
export interface FaultContext {
  /** The name of the action, for messages. */
  readonly action: string;
  /** The call changes the cloud: when its answer is lost, its outcome is unknown. */
  readonly mutating: boolean;
  /** Whether the request was sent. Absent: unknown. */
  readonly sent?: boolean;
  /** The answer showed that the clock of this host is wrong, and that the call was signed with the wrong time. */
  readonly wrongClock?: boolean;
  /** Values that no message may contain. */
  readonly secrets?: readonly string[];
  /** The provider instance of the call, for messages about credentials. */
  readonly instance?: string;
}

/** The part of the context that each call gives. The session adds the rest. */
export type CallContext = Omit<FaultContext, 'secrets' | 'instance'>;

/** Codes with which AWS refuses a signature for its time, before it executes anything. */
const ofTime: ReadonlySet<string> = new Set([
  'RequestExpired',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
  'InvalidSignatureException',
  'AuthFailure',
]);

interface Thrown {
  readonly name?: string;
  readonly code?: string;
  readonly Code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  readonly $retryable?: object;
}

/** Network errors after which the request did certainly not reach the cloud. */
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

const maxMessageLength = 600;

/**
 * Converts an error of the SDK to a fault. A fault is returned unchanged, except that a fault about credentials gets
 * the name of the instance. A code of the cloud decides the kind. Without a code the state of the connection decides:
 * a change that was sent and got no readable answer is `unknown-outcome`, never `unavailable`.
 */
export function faultOf(error: unknown, context: FaultContext): ProviderFault {
  if (isFault(error)) return withInstance(error, context.instance);
  const thrown = (typeof error === 'object' && error !== null ? error : { message: String(error) }) as Thrown;
  const status = thrown.$metadata?.httpStatusCode;
  const code = codeOf(thrown, status);
  const cleaned = clean(thrown.message ?? '', context.secrets ?? []);
  const text = cleaned.length > maxMessageLength ? `${cleaned.slice(0, maxMessageLength)} …` : cleaned;
  if (context.wrongClock && code !== undefined && ofTime.has(code)) return wrongClock(code, context);
  const kind = kindOf(thrown, code, text, status, context);
  const shown = code ?? networkCode(thrown) ?? thrown.name ?? 'Unknown';
  const said =
    text === '' || text === 'UnknownError' ? 'The cloud gave no reason.' : /[.!?]$/.test(text) ? text : `${text}.`;
  const cause = { name: thrown.name, code: shown, status, request_id: thrown.$metadata?.requestId, said: cleaned };
  const advice = code === undefined ? '' : adviceFor(code, text, !context.mutating);
  const lack = code === undefined ? undefined : meaningOfCode(code, text, !context.mutating)?.lack;
  return new ProviderFault(kind, messageOf(kind, shown, advice ? `${said} ${advice}` : said, context), {
    code: shown,
    ...(lack === undefined ? {} : { lack }),
    cause,
  });
}

/** The call was certainly not executed. The next one is signed with the time of AWS. */
const wrongClock = (code: string, { action, instance }: FaultContext): ProviderFault =>
  new ProviderFault(
    'unavailable',
    `${action}: AWS refused the signature${instance === undefined ? '' : ` of '${instance}'`}, because the clock of this host is wrong by more than five minutes. muster repeats the call with the time of AWS. Set the clock of this host. Error Code: ${code}`,
    { code },
  );

/** The ids of machines in an error of EC2. They are matched as whole ids, since one id may be a prefix of another. */
export function idsNamed(fault: ProviderFault): ReadonlySet<string> {
  const said = (fault.cause as { readonly said?: string } | undefined)?.said ?? fault.message;
  return new Set(said.match(/\bi-[0-9a-f]+\b/g) ?? []);
}

const ofInstance = (instance: string | undefined): string => (instance === undefined ? '' : ` of '${instance}'`);

function messageOf(kind: FaultKind, code: string, said: string, { action, instance }: FaultContext): string {
  const coded = `${said} Error Code: ${code}`;
  if (kind !== 'credentials') return `${action}: ${coded}`;
  // The SDK searched for credentials and sent no call.
  if (code.endsWith('ProviderError')) return `There are no credentials${ofInstance(instance)}: ${coded}`;
  return `AWS refused the credentials${ofInstance(instance)} (${code}): ${action}: ${coded}`;
}

/** A fault about credentials from this plugin, with the name of the instance. */
function withInstance(fault: ProviderFault, instance: string | undefined): ProviderFault {
  const { kind, message, code } = fault;
  if (kind !== 'credentials' || instance === undefined || message.includes(ofInstance(instance))) return fault;
  return new ProviderFault(kind, `The credentials${ofInstance(instance)} cannot be used: ${message}`, {
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
  const unanswered: FaultKind = mutating && sent !== false ? 'unknown-outcome' : 'unavailable';
  if (code !== undefined) {
    const kind = kindOfCode(code, text, !context.mutating);
    if (kind === 'transient') return unanswered;
    if (kind !== undefined) return kind;
    if (status === 429) return 'throttled';
    return status !== undefined && status >= 500 ? unanswered : 'invalid';
  }
  // Before it sends a call, the SDK searches for credentials: in files, in the environment, at the metadata service.
  if (/CredentialsProviderError|TokenProviderError/.test(thrown.name ?? '')) return 'credentials';
  if (status === 429) return 'throttled';
  if (status === 401 || status === 403) return 'credentials';
  // No answer of the cloud: a proxy or gateway refused the call.
  if (status !== undefined && status >= 400 && status < 500) return 'unavailable';
  if (notSent.has(networkCode(thrown) ?? '') || /did not establish a connection/.test(thrown.message ?? ''))
    return 'unavailable';
  // The SDK cannot encode half of a surrogate pair; a retry would fail too.
  if (thrown.name === 'URIError') return 'invalid';
  // The SDK checks parameters before it sends them.
  if (sent === false && (thrown.name === 'TypeError' || thrown.name === 'RangeError')) return 'invalid';
  return unanswered;
}

/** The code that the cloud sent. Names that the SDK invents (`Unknown`, `TimeoutError`, `Error`) are none. */
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

/** The message without secrets, access keys, encoded authorization messages and markup. */
function clean(message: string, secrets: readonly string[]): string {
  let text = message;
  for (const secret of secrets) if (secret.length >= 4) text = text.replaceAll(secret, '***');
  return withoutEncodedMessage(text)
    .replace(/\b(AKIA|ASIA)[A-Z0-9]{12,}\b/g, '***')
    .replace(/\bAWS4-HMAC-SHA256[\s\S]*/g, '***')
    .replace(/\s*Deserialization error: to see the raw response[\s\S]*$/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
