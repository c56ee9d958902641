import { recentlyUsed } from '../../collections/recently-used.ts';
import type { Store } from '../../contract/storage.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { MachineRecord } from '../../model/machine.ts';
import { isTerminal, type RequestRecord } from '../../model/request.ts';
import type { CallTrace } from '../../providers/guard/traces/call-span.ts';
import { contextBelow, placeIn } from '../../tracing/trace-context.ts';
import type { TraceContext, Tracer } from '../../tracing/tracer.ts';
import { hasEnded } from '../claims/report-end.ts';
import type { StateChange } from '../state/request-state.ts';
import { attemptSpan, requestSpan } from './ended-spans.ts';

type Traced = Pick<RequestRecord, 'request_id' | 'trace'>;

/** The most spans of one request: a request that is retried for hours, or has 10 000 machines, must stay readable. */
const mostSpans = 1_000;
/** How many requests are remembered, with their number of spans. */
const mostRequests = 10_000;
/** The most returns that are looked up for the span of one release. */
const mostReturns = 16;

/**
 * The places of the loop's work in the traces of the callers. The span of a request is below the call that made it,
 * and the spans of its attempts are below that one. Their places are computed from what is stored, so that work after
 * a restart, or by another broker, joins the same trace; the spans themselves are recorded when the request or the
 * attempt has ended.
 */
export class RequestSpans {
  readonly #tracer: Tracer;
  readonly #store: Pick<Store, 'get'>;
  readonly #counts = recentlyUsed<{ spans: number; omitted: number }>(mostRequests);
  /** The attempts whose span was recorded: an attempt may end, be reopened, and end again. */
  readonly #ended = recentlyUsed<true>(mostRequests);

  constructor(tracer: Tracer, store: Pick<Store, 'get'>) {
    this.#tracer = tracer;
    this.#store = store;
  }

  get on(): boolean {
    return this.#tracer.on;
  }

  /** The place of a call for an attempt. Null: its trace is not recorded, or has enough spans. */
  ofAttempt(request: Traced, attempt: AttemptRecord): CallTrace | null {
    const parent = this.#attempt(request, attempt);
    return parent && this.#admits(request.request_id) ? { parent, attributes: ofAttempt(attempt) } : null;
  }

  /**
   * The place of a release: below the return that asked for it, with a link to the attempt. A release that no return
   * asked for, or several, is below the attempt.
   */
  async ofRelease(
    request: Traced,
    attempt: AttemptRecord,
    machines: readonly Pick<MachineRecord, 'return_id'>[],
  ): Promise<CallTrace | null> {
    const ids = new Set(machines.flatMap(({ return_id }) => return_id ?? []));
    const returns = await Promise.all([...ids].slice(0, mostReturns).map((id) => this.#return(id)));
    const places = returns.flatMap((each) => this.#request(each) ?? []);
    const [first] = places;
    const [only] = returns;
    if (!first || ids.size > 1) {
      const own = this.ofAttempt(request, attempt);
      return own && places.length > 0 ? { ...own, links: places } : own;
    }
    if (!this.#admits(only?.request_id ?? '')) return null;
    const origin = this.#attempt(request, attempt);
    return { parent: first, links: origin ? [origin] : [], attributes: ofAttempt(attempt) };
  }

  /** The place to which an observation of the attempt is linked. Undefined once nothing of the request is awaited. */
  linkOf(request: RequestRecord, attempt: AttemptRecord, going: number): TraceContext | undefined {
    return isTerminal(request.status) && going === 0 ? undefined : this.#attempt(request, attempt);
  }

  /** Records the spans of the request and the attempts that ended with a change, once it is durable. */
  became(before: RequestRecord, change: StateChange): void {
    const { request } = change;
    const parent = this.#request(request);
    if (!parent || !request.trace) return;
    for (const attempt of change.endedAttempts) {
      const context = contextBelow(parent, nameOf(attempt));
      const key = `${request.request_id}/${attempt.attempt}`;
      if (this.#ended.has(key) || !this.#admits(request.request_id)) continue;
      this.#ended.set(key, true);
      const machines = [...change.machines.of(attempt.attempt)].length;
      this.#tracer.record({ ...attemptSpan(attempt, machines), context, parent });
    }
    if (!hasEnded(before, request)) return;
    const { omitted = 0 } = this.#counts.get(request.request_id) ?? {};
    this.#tracer.record({ ...requestSpan(request, omitted), context: parent, parent: request.trace });
  }

  /** The place of the request's own span. Undefined: its trace is not recorded. */
  #request(request: Traced | undefined): TraceContext | undefined {
    if (!this.#tracer.on || !request?.trace || !placeIn(request.trace.traceparent)?.sampled) return undefined;
    return contextBelow(request.trace, request.request_id);
  }

  #attempt(request: Traced, attempt: AttemptRecord): TraceContext | undefined {
    const place = this.#request(request);
    return place && contextBelow(place, nameOf(attempt));
  }

  #admits(request_id: string): boolean {
    let count = this.#counts.get(request_id);
    if (!count) this.#counts.set(request_id, (count = { spans: 0, omitted: 0 }));
    if (count.spans >= mostSpans) {
      count.omitted += 1;
      return false;
    }
    count.spans += 1;
    return true;
  }

  /** A return that cannot be read now has no place: a trace must not delay the work. */
  async #return(request_id: string): Promise<RequestRecord | undefined> {
    return this.#store.get('request', { request_id }).catch(() => undefined);
  }
}

const nameOf = ({ attempt }: AttemptRecord): string => `attempt ${attempt}`;

const ofAttempt = ({ attempt, order }: AttemptRecord) => ({
  'muster.attempt': attempt,
  'muster.template_id': order.template.template_id,
  'muster.machine_count': order.machine_count,
});
