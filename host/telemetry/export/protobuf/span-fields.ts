/** The numbers of the fields in the definitions of OTLP 1.x, which change only together with the path of the call. */
export const traceRequest = { resource_spans: 1 } as const;
export const resourceSpans = { resource: 1, scope_spans: 2 } as const;
export const resourceFields = { attributes: 1 } as const;
export const scopeSpans = { scope: 1, spans: 2 } as const;
export const scopeFields = { name: 1, version: 2 } as const;
export const span = {
  trace_id: 1,
  span_id: 2,
  trace_state: 3,
  parent_span_id: 4,
  name: 5,
  kind: 6,
  start_time_unix_nano: 7,
  end_time_unix_nano: 8,
  attributes: 9,
  events: 11,
  links: 13,
  status: 15,
  flags: 16,
} as const;
export const event = { time_unix_nano: 1, name: 2, attributes: 3 } as const;
export const link = { trace_id: 1, span_id: 2, flags: 6 } as const;
export const status = { message: 2, code: 3 } as const;
export const keyValue = { key: 1, value: 2 } as const;
export const anyValue = { text: 1, boolean: 2, integer: 3, double: 4 } as const;
export const kinds = { internal: 1, server: 2, client: 3 } as const;
/** Bytes for the length of a span: few have less than 128 bytes. */
export const spanLengthBytes = 2;
/** The flags of a span or link of a sampled trace. */
export const sampled = 1;
