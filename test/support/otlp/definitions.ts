import protobuf from 'protobufjs';

/**
 * The messages of OTLP that muster sends, with the field numbers of the protocol's definitions. Made apart from the
 * code that encodes them.
 */
const text = `
syntax = "proto3";
message AnyValue { oneof value { string stringValue = 1; bool boolValue = 2; int64 intValue = 3; double doubleValue = 4; ArrayValue arrayValue = 5; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3; }
message Resource { repeated KeyValue attributes = 1; }

message TracesRequest { repeated ResourceSpans resourceSpans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scopeSpans = 2; string schemaUrl = 3; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schemaUrl = 3; }
message Span {
  bytes traceId = 1; bytes spanId = 2; string traceState = 3; bytes parentSpanId = 4; string name = 5; int32 kind = 6;
  fixed64 startTimeUnixNano = 7; fixed64 endTimeUnixNano = 8; repeated KeyValue attributes = 9;
  uint32 droppedAttributesCount = 10; repeated Event events = 11; uint32 droppedEventsCount = 12;
  repeated Link links = 13; uint32 droppedLinksCount = 14; Status status = 15; fixed32 flags = 16;
}
message Event { fixed64 timeUnixNano = 1; string name = 2; repeated KeyValue attributes = 3; }
message Link { bytes traceId = 1; bytes spanId = 2; string traceState = 3; repeated KeyValue attributes = 4; fixed32 flags = 6; }
message Status { string message = 2; int32 code = 3; }

message MetricsRequest { repeated ResourceMetrics resourceMetrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scopeMetrics = 2; string schemaUrl = 3; }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; string schemaUrl = 3; }
message Metric { string name = 1; string description = 2; string unit = 3; oneof data { Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9; } }
message Gauge { repeated NumberPoint dataPoints = 1; }
message Sum { repeated NumberPoint dataPoints = 1; int32 aggregationTemporality = 2; bool isMonotonic = 3; }
message Histogram { repeated HistogramPoint dataPoints = 1; int32 aggregationTemporality = 2; }
message NumberPoint {
  fixed64 startTimeUnixNano = 2; fixed64 timeUnixNano = 3; oneof value { double asDouble = 4; sfixed64 asInt = 6; }
  repeated KeyValue attributes = 7;
}
message HistogramPoint {
  fixed64 startTimeUnixNano = 2; fixed64 timeUnixNano = 3; fixed64 count = 4; optional double sum = 5;
  repeated fixed64 bucketCounts = 6; repeated double explicitBounds = 7; repeated KeyValue attributes = 9;
}
`;

const { root } = protobuf.parse(text, { keepCase: true });

/** Decodes a message of protobuf to the form that OTLP has as JSON: ids in hexadecimal digits, 64 bits as text. */
export function decodeOtlp(type: 'TracesRequest' | 'MetricsRequest', body: Uint8Array): any {
  const message = root.lookupType(type);
  const plain = message.toObject(message.decode(body), { longs: String, bytes: Array, arrays: true });
  return JSON.parse(
    JSON.stringify(plain, (name, value: unknown) =>
      /^(traceId|spanId|parentSpanId)$/.test(name) ? Buffer.from(value as number[]).toString('hex') : value,
    ),
  );
}
