import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import test from 'ava';
import { until } from '../../support/boot-broker.ts';
import { traceTimes } from '../../support/otlp/trace-times.ts';
import { traceText } from '../../support/otlp/trace-text.ts';
import {
  callerSpan,
  only,
  requestTree,
  trace_id,
  tracedBroker,
  traceparent,
} from '../../support/otlp/traced-broker.ts';

for (const protocol of ['http/protobuf', 'http/json'])
  test(`a request is one trace below its caller, from the call to the calls at the cloud, by ${protocol}`, async (t) => {
    const broker = await tracedBroker(t, { env: { OTEL_EXPORTER_OTLP_PROTOCOL: protocol } });
    const request_id = await broker.provision('small', 2);
    const spans = await broker.stopped();
    t.is(traceText(spans, trace_id), requestTree);
    const call = only(spans, 'POST /api/v1/machines/request');
    t.like(call, { parent_id: callerSpan, kind: 2, status: 0 });
    t.like(call.attributes, {
      'http.request.method': 'POST',
      'http.route': '/api/v1/machines/request',
      'http.response.status_code': 200,
      'muster.operation': 'create_request',
      'muster.interface': 'rest',
      'muster.request_id': request_id,
      'muster.template_id': 'small',
      'muster.outcome': 'ok',
    });
    const about = {
      'muster.template_id': 'small',
      'muster.provider_instance': 'east',
      'muster.provider_api': 'RunInstances',
      'muster.outcome': 'ok',
    };
    for (const name of ['select', 'attempt', 'prepare', 'launch', 'RunInstances'])
      t.like(only(spans, name).attributes, about, name);
    for (const name of ['request', 'attempt', 'launch', 'RunInstances'])
      t.is(only(spans, name).attributes['muster.request_id'], request_id, name);
    t.like(only(spans, 'request').attributes, { 'muster.status': 'completed', 'muster.delivered': 2 });
    t.like(only(spans, 'attempt').attributes, {
      'muster.attempt': 1,
      'muster.machine_count': 2,
      'muster.machines': 2,
    });
    t.is(only(spans, 'RunInstances').kind, 3);
    for (const span of spans) t.true(span.end >= span.start && Math.abs(span.start - Date.now()) < 600_000, span.name);
    t.like(broker.receiver.resources[0], { 'service.name': 'muster', 'telemetry.sdk.language': 'nodejs' });
    t.true(
      broker.receiver.calls.every(
        ({ headers }) =>
          headers['content-type'] === (protocol === 'http/json' ? 'application/json' : 'application/x-protobuf'),
      ),
    );
  });

test('a fault of the cloud is an error of its call, its launch and its attempt, with the code of the cloud', async (t) => {
  const code = 'InsufficientInstanceCapacity';
  const broker = await tracedBroker(t, {
    knobs: { faults: [{ action: 'RunInstances', effect: 'skip', then: 'error', code, times: null }] },
  });
  await broker.provision('small', 1);
  const spans = await broker.stopped();
  for (const name of ['RunInstances', 'launch', 'attempt', 'request']) {
    const [span] = spans.filter((each) => each.name === name);
    t.like(span, { status: 2, events: ['exception'] }, name);
    t.like(span?.attributes, { 'error.type': code, 'muster.outcome': code }, name);
  }
  t.is(only(spans, 'launch').attributes['muster.fault_kind'], 'capacity');
  t.like(only(spans, 'POST /api/v1/machines/request'), { status: 0 });
});

test('a call that is refused has the code of the refusal and is no failure of the server', async (t) => {
  const broker = await tracedBroker(t);
  await broker.call('POST', '/machines/request', { template_id: 'none', machine_count: 1 }, { traceparent });
  const spans = await broker.stopped();
  t.like(only(spans, 'POST /api/v1/machines/request'), { status: 0 });
  t.like(only(spans, 'POST /api/v1/machines/request').attributes, {
    'http.response.status_code': 404,
    'error.type': 'TEMPLATE_NOT_FOUND',
  });
});

test('a call by the name of an operation has that operation in its span, and its route as the name', async (t) => {
  const broker = await tracedBroker(t);
  for (const name of ['create_request', 'none-of-them'])
    await broker.call('POST', `/operations/${name}`, { template_id: 'small', machine_count: 1 }, { traceparent });
  const route = '/api/v1/operations/{operation}';
  const calls = (await broker.stopped()).filter(({ name }) => name === `POST ${route}`);
  t.deepEqual(
    calls.map(({ attributes }) => [attributes['http.route'], attributes['muster.operation']]).toSorted(),
    // What is no operation is a text of the caller.
    [
      [route, 'call_operation'],
      [route, 'create_request'],
    ],
  );
});

test('the trace of a request has the span of its call also when the caller leaves before the answer', async (t) => {
  const broker = await tracedBroker(t);
  const { hostname, port } = new URL(await broker.app.listen({ host: '127.0.0.1', port: 0 }));
  const body = JSON.stringify({ template_id: 'small', machine_count: 1 });
  const head = [
    'POST /api/v1/machines/request HTTP/1.1',
    `host: ${hostname}`,
    `traceparent: ${traceparent}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  const calls = 10;
  for (let i = 0; i < calls; i++)
    await new Promise<void>((left) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write([...head, '', body].join('\r\n'), () => {
          socket.destroy();
          left();
        }),
      );
    });
  await until(async () => (await broker.call('GET', '/requests/?status=completed')).body.requests?.length === calls);
  const spans = await broker.stopped();
  const ids = new Set(spans.map(({ span_id }) => span_id));
  const lost = spans.filter(({ parent_id }) => parent_id !== callerSpan && !ids.has(parent_id ?? ''));
  t.deepEqual(
    lost.map(({ name }) => name),
    [],
  );
});

test('the guide shows the trace of a run, apart from its times', async (t) => {
  const launch = { image_id: 'ami-1', subnet_ids: ['subnet-1'], provider_api: 'RunInstances' };
  const code = 'InsufficientInstanceCapacity';
  const broker = await tracedBroker(t, {
    templates: [{ ...launch, template_id: 'small', machine_types: { 't3.small': 1, 't3.medium': 1 } }],
    knobs: { faults: [{ action: 'RunInstances', effect: 'skip', then: 'error', code, times: 1 }] },
  });
  await broker.provision('small', 2);
  const timeless = (text: string) => text.replace(/ +\d+ ms \+ *\d+ ms +/g, ' | ');
  const [, shown = ''] = /```\n(POST [^`]*)\n```/.exec(readFileSync('docs/guides/tracing.md', 'utf8')) ?? [];
  t.is(timeless(traceTimes(await broker.stopped(), trace_id)), timeless(shown));
});

test('a call over MCP at the server has its span', async (t) => {
  const broker = await tracedBroker(t);
  const { statusCode } = await broker.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { traceparent, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    payload: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_templates', arguments: {} },
    }),
  });
  t.is(statusCode, 200);
  const spans = await broker.stopped();
  t.like(only(spans, 'POST /mcp').attributes, { 'muster.operation': 'mcp', 'muster.interface': 'mcp' });
});
