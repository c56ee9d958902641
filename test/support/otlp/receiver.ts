import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { decodeOtlp } from './definitions.ts';

export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly trace_id: string;
  readonly span_id: string;
  /** Empty: the span began its trace. */
  readonly parent_id: string;
  readonly tracestate: string;
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly trace_id: string; readonly span_id: string }[];
  /** 2: an error. */
  readonly status: number;
  readonly message: string;
  readonly events: readonly string[];
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly type: 'gauge' | 'sum' | 'histogram';
  readonly points: readonly {
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly value: number;
    readonly buckets?: readonly number[];
    readonly bounds?: readonly number[];
    readonly sum?: number;
  }[];
}

/** `hang`: takes the call and never answers. */
export type Behavior = 'accept' | 'hang' | { readonly status: number; readonly after_ms?: number };

/** A collector on loopback that keeps what it gets. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** The metrics of the last export. */
  metrics: readonly ReceivedMetric[];
  readonly resources: Readonly<Record<string, unknown>>[];
  readonly calls: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[];
  behavior: Behavior;
  listens(): boolean;
  close(): Promise<void>;
}

export async function otlpReceiver(port = 0): Promise<OtlpReceiver> {
  const open = new Set<ServerResponse>();
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const sent = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      const { url: path = '', headers } = request;
      receiver.calls.push({ path, headers, text: body.toString('latin1') });
      open.add(response);
      const { behavior } = receiver;
      if (behavior === 'hang') return;
      if (behavior === 'accept') {
        take(receiver, path, headers['content-type'] ?? '', body);
        response.setHeader('content-type', headers['content-type'] ?? '');
        response.end(headers['content-type'] === 'application/json' ? '{}' : '');
      } else setTimeout(() => response.writeHead(behavior.status).end('no'), behavior.after_ms ?? 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    metrics: [],
    resources: [],
    calls: [],
    behavior: 'accept',
    listens: () => server.listening,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
  return receiver;
}

function take(receiver: OtlpReceiver, path: string, type: string, body: Buffer): void {
  const traces = path.endsWith('/v1/traces');
  const message =
    type === 'application/json'
      ? JSON.parse(body.toString())
      : decodeOtlp(traces ? 'TracesRequest' : 'MetricsRequest', body);
  if (!traces) receiver.metrics = [];
  for (const { resource, scopeSpans, scopeMetrics } of message.resourceSpans ?? message.resourceMetrics ?? []) {
    receiver.resources.push(attributesOf(resource.attributes));
    for (const { spans } of scopeSpans ?? []) receiver.spans.push(...spans.map(spanOf));
    for (const { metrics } of scopeMetrics ?? []) receiver.metrics = [...receiver.metrics, ...metrics.map(metricOf)];
  }
}

const spanOf = (span: any): ReceivedSpan => ({
  name: span.name,
  kind: span.kind,
  trace_id: span.traceId,
  span_id: span.spanId,
  parent_id: span.parentSpanId ?? '',
  tracestate: span.traceState ?? '',
  start: Number(span.startTimeUnixNano) / 1e6,
  end: Number(span.endTimeUnixNano) / 1e6,
  attributes: attributesOf(span.attributes),
  links: (span.links ?? []).map((link: any) => ({ trace_id: link.traceId, span_id: link.spanId })),
  status: span.status?.code ?? 0,
  message: span.status?.message ?? '',
  events: (span.events ?? []).map((event: any) => event.name),
});

function metricOf({ name, unit, gauge, sum, histogram }: any): ReceivedMetric {
  const type = gauge ? 'gauge' : sum ? 'sum' : 'histogram';
  const points = (gauge ?? sum ?? histogram).dataPoints.map((point: any) => ({
    attributes: attributesOf(point.attributes),
    value: Number(histogram ? point.count : (point.asDouble ?? point.asInt)),
    ...(histogram
      ? { buckets: point.bucketCounts.map(Number), bounds: point.explicitBounds.map(Number), sum: point.sum }
      : {}),
  }));
  return { name, unit, type, points };
}

function attributesOf(list: readonly any[] = []): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    list.map(({ key, value }) => {
      const { stringValue, boolValue, intValue, doubleValue } = value;
      return [key, stringValue ?? boolValue ?? (intValue === undefined ? doubleValue : Number(intValue))];
    }),
  );
}
