import type { ExecutionContext } from 'ava';
import type { Tracer } from '../../../core/tracing/tracer.ts';
import { bootBroker, until, type BootedBroker, type BootOptions } from '../boot-broker.ts';
import { otlpReceiver, type OtlpReceiver, type ReceivedSpan } from './receiver.ts';

export const trace_id = '0af7651916cd43dd8448eb211c80319c';
export const callerSpan = 'b7ad6b7169203331';
/** The trace of one request that is served at once. */
export const requestTree = `POST /api/v1/machines/request
  select
  request
    attempt
      prepare
      launch
        RunInstances`;
export const traceparent = `00-${trace_id}-${callerSpan}-01`;

export interface TracedBroker extends BootedBroker {
  readonly receiver: OtlpReceiver;
  /** Requests machines in the trace of a caller and waits for the end. Returns the id of the request. */
  provision(template_id: string, machine_count: number, headers?: Record<string, string>): Promise<string>;
  ended(request_id: string): Promise<unknown>;
  /** Stops the broker, so that everything is exported; the place stays. Returns the spans of the caller's trace. */
  stopped(): Promise<readonly ReceivedSpan[]>;
}

/** A broker that exports to a collector on loopback. */
export async function tracedBroker(t: ExecutionContext, options: BootOptions = {}): Promise<TracedBroker> {
  const receiver = await otlpReceiver();
  t.teardown(() => receiver.close());
  return tracedAt(t, receiver, options);
}

/** A broker that exports to a collector which runs already. */
export async function tracedAt(
  t: ExecutionContext,
  receiver: OtlpReceiver,
  options: BootOptions = {},
): Promise<TracedBroker> {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...options.env };
  const booted = await bootBroker({ ...options, env });
  const { tracer } = booted.broker;
  // A busy machine starts the thread that exports later than the test ends.
  if (tracer.on && receiver.behavior === 'accept' && receiver.listens()) await warmedUp(tracer, receiver);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= booted.close());
  t.teardown(close);
  const ended = (request_id: string) =>
    until(async () => {
      const { status } = (await booted.call('GET', `/requests/${request_id}/status`)).body;
      return /completed|failed|cancelled/.test(status);
    });
  return {
    ...booted,
    close,
    receiver,
    ended,
    async provision(template_id, machine_count, headers = { traceparent }) {
      const { body } = await booted.call('POST', '/machines/request', { template_id, machine_count }, headers);
      await ended(body.request_id);
      return body.request_id;
    },
    async stopped() {
      await close();
      return receiver.spans.filter((span) => span.trace_id === trace_id);
    },
  };
}

/** The only span with a name, or with one in a list. */
export function only(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name);
  if (found.length !== 1)
    throw new Error(`There are ${found.length} spans '${name}' among ${spans.map((s) => s.name)}.`);
  return found[0] as ReceivedSpan;
}

async function warmedUp(tracer: Tracer, receiver: OtlpReceiver): Promise<void> {
  tracer.start('warm-up', { sampled: true }).end();
  const place = await until(async () => {
    const found = receiver.spans.findIndex(({ name }) => name === 'warm-up');
    return found < 0 ? undefined : { found };
  });
  receiver.spans.splice(place.found, 1);
}
