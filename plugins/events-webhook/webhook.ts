import { Type } from 'typebox';
import {
  defineEventSinkType,
  eventTypes,
  eventView,
  hint,
  type BrokerEvent,
  type Clock,
  type ValueOf,
} from '../../core/index.ts';
import { signature } from './signature.ts';

const options = Type.Object({
  url: Type.String({
    // fetch refuses a URL with a user name.
    pattern: '^https?://[^/?#@\\s]+([/?#]\\S*)?$',
    sensitive: true,
    description: 'Where each event is sent with POST: an http or https URL without a user name.',
  }),
  secret: Type.String({ minLength: 8, sensitive: true, description: 'The key of the signatures.' }),
  types: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description: 'Only events of these types; `machine.*` means all that begin so. Absent: all events.',
    }),
  ),
  timeout: Type.Integer({
    minimum: 1,
    maximum: 60,
    default: 10,
    description: 'Seconds for an answer. An event without a success is sent again, later and later.',
  }),
});
type WebhookOptions = ValueOf<typeof options>;

/** After this time no further event of a call is begun: what is delivered is stored, and not sent again. */
const spanMs = 5_000;

const mostRead = 65_536;
const known = Object.keys(eventTypes);

/**
 * `{type: webhook}`: sends each event as JSON, one after another, in order. Every answer but 2xx is a failure, also a
 * redirection. An event is sent again after a failure, or a crash before its success was stored, so a receiver may get
 * it twice: `X-Muster-Seq` tells.
 */
export const webhook = defineEventSinkType({
  type: 'webhook',
  options,
  review: ({ url, types = [] }) => [
    ...(URL.canParse(url) ? [] : [{ level: 'error', path: '/url', message: 'is no valid URL' } as const]),
    ...types.flatMap((type, index) =>
      known.some((each) => isOfType(each, type))
        ? []
        : [
            {
              level: 'warning',
              path: `/types/${index}`,
              message: `there are no events of the type '${type}'${hint(type, known)}`,
            } as const,
          ],
    ),
  ],
  open: (given, { clock }) => ({
    deliver_ms: given.timeout * 1_000 + 2 * spanMs,
    async deliver(events) {
      const end = clock.monotonic() + spanMs;
      let count = 0;
      for (const event of events) {
        if (isWanted(event, given)) {
          if (count > 0 && clock.monotonic() >= end) break;
          try {
            await send(event, given, clock);
          } catch (error) {
            if (count === 0) throw error;
            break;
          }
        }
        count += 1;
      }
      return count;
    },
  }),
});

const isOfType = (type: string, wanted: string): boolean =>
  wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : wanted === type;

const isWanted = ({ type }: BrokerEvent, { types }: WebhookOptions): boolean =>
  types?.some((wanted) => isOfType(type, wanted)) ?? true;

async function send(event: BrokerEvent, { url, secret, timeout }: WebhookOptions, clock: Clock): Promise<void> {
  const body = JSON.stringify(eventView(event));
  const { host } = new URL(url);
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'muster',
      'x-muster-event': event.type,
      'x-muster-seq': String(event.seq),
      'x-muster-signature': signature(secret, body, clock.now()),
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout * 1_000),
  }).catch((cause: unknown) => {
    throw new Error(`${host} did not take event ${event.seq}: ${reasonOf(cause, timeout)}.`, { cause });
  });
  await drop(answer);
  if (!answer.ok) throw new Error(`${host} answered event ${event.seq} with status ${answer.status}.`);
}

/**
 * A connection is used again when the body was read; a long body, one of unknown length, or one that must be unpacked
 * is not worth that. The status alone tells whether the event was delivered: a body that breaks off changes nothing.
 */
async function drop({ headers, body }: Response): Promise<void> {
  const length = Number(headers.get('content-length') ?? Infinity);
  try {
    if (length > mostRead || headers.has('content-encoding')) return await body?.cancel();
    for await (const _ of body ?? []);
  } catch {
    // The connection is closed.
  }
}

function reasonOf(error: unknown, timeout: number): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return `no answer within ${timeout} s`;
  const { code, message: why } = (cause ?? {}) as { readonly code?: string; readonly message?: string };
  // A code of the HTTP client alone, such as UND_ERR_SOCKET, tells a person nothing.
  return code?.startsWith('UND_') && why ? `${why} (${code})` : (code ?? why ?? message);
}
