import test from 'ava';
import { makePlace } from '../../support/boot-broker.ts';
import { otlpReceiver } from '../../support/otlp/receiver.ts';
import { traceText } from '../../support/otlp/trace-text.ts';
import {
  callerSpan,
  only,
  requestTree,
  trace_id,
  tracedAt,
  tracedBroker,
  traceparent,
} from '../../support/otlp/traced-broker.ts';

test('the loop thread, and a broker after a restart, join the trace of the caller', async (t) => {
  const receiver = await otlpReceiver();
  const place = await makePlace({
    knobs: {
      faults: [
        { action: 'RunInstances', effect: 'skip', then: 'error', code: 'ServiceUnavailable', status: 503, times: 3 },
      ],
    },
  });
  t.teardown(async () => {
    await receiver.close();
    await place.close();
  });
  // The first server only accepts the request; the second one is another process of the same storage.
  const accepting = await tracedAt(t, receiver, { place, loop: 'none', env: { OTEL_SERVICE_NAME: 'front' } });
  const { body } = await accepting.call(
    'POST',
    '/machines/request',
    { template_id: 'small', machine_count: 1 },
    { traceparent, tracestate: 'vendor=1' },
  );
  const before = await accepting.stopped();
  t.deepEqual(before.map(({ name }) => name).toSorted(), ['POST /api/v1/machines/request', 'select']);
  const working = await tracedAt(t, receiver, { place, loop: 'thread', env: { OTEL_SERVICE_NAME: 'back' } });
  await working.ended(body.request_id);
  const spans = await working.stopped();
  t.is(
    traceText(spans, trace_id, ({ name }) => (name === 'launch' ? '…' : ''))
      .split('\n')
      .slice(0, 5)
      .join('\n'),
    requestTree.split('\n').slice(0, 5).join('\n'),
  );
  t.is(only(spans, 'request').parent_id, only(spans, 'POST /api/v1/machines/request').span_id);
  t.true(spans.every(({ tracestate }) => tracestate === 'vendor=1'));
  t.deepEqual([...new Set(receiver.resources.map((each) => each['service.name']))], ['front', 'back']);
});

test('a joint observation is linked to every request that it serves', async (t) => {
  const broker = await tracedBroker(t, { knobs: { boot_ms: 2_000 } });
  await Promise.all(Array.from({ length: 3 }, () => broker.provision('small', 1)));
  const spans = await broker.stopped();
  const attempts = spans.filter(({ name }) => name === 'attempt').map(({ span_id }) => span_id);
  t.is(attempts.length, 3);
  const joint = broker.receiver.spans.filter(({ name, links }) => name === 'observe' && links.length > 1);
  t.true(joint.length > 0);
  for (const { links, trace_id: own, parent_id, attributes } of joint) {
    t.not(own, trace_id);
    t.is(parent_id, '');
    t.true(links.every(({ span_id }) => attempts.includes(span_id)));
    t.is(new Set(links.map(({ span_id }) => span_id)).size, links.length);
    // A call also serves requests of which nothing is awaited any more: they are counted, and not linked.
    const served = Number(attributes['muster.attempts']);
    t.true(links.length <= served && served <= attempts.length, `${links.length} links, ${served} attempts`);
  }
  const describes = broker.receiver.spans.filter(({ name }) => name === 'DescribeInstances');
  t.true(
    describes.every(({ parent_id }) =>
      broker.receiver.spans.some((each) => each.name === 'observe' && each.span_id === parent_id),
    ),
  );
});

test('machines are released in the trace of the return, with a link to the attempt that made them', async (t) => {
  const broker = await tracedBroker(t);
  const request_id = await broker.provision('small', 2);
  const { body } = await broker.call('GET', `/requests/${request_id}/status`);
  const returning = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  const machine_ids = body.machines.map(({ machine_id }: { machine_id: string }) => machine_id);
  const answer = await broker.call('POST', '/machines/return', { machine_ids }, { traceparent: returning });
  await broker.ended(answer.body.request_id);
  const attempt = only(await broker.stopped(), 'attempt');
  const spans = broker.receiver.spans.filter((span) => span.trace_id === '1'.repeat(32));
  t.is(
    traceText(spans, '1'.repeat(32)),
    'POST /api/v1/machines/return\n  return\n    release\n      TerminateInstances',
  );
  t.deepEqual(only(spans, 'release').links, [{ trace_id, span_id: attempt.span_id }]);
  t.like(only(spans, 'return').attributes, {
    'muster.request_id': answer.body.request_id,
    'muster.status': 'completed',
  });
});

test('a trace that its caller does not sample stays unrecorded, also in the work done later', async (t) => {
  const broker = await tracedBroker(t, { loop: 'thread' });
  await broker.provision('small', 1, { traceparent: traceparent.replace(/1$/, '0') });
  const spans = await broker.stopped();
  t.deepEqual(spans, []);
  t.false(broker.receiver.spans.some(({ name }) => /^(request|attempt|launch|RunInstances|observe)$/.test(name)));
});

test('a sampler of the environment decides for traces without a caller, and for all where it does not follow callers', async (t) => {
  const off = await tracedBroker(t, { env: { OTEL_TRACES_SAMPLER: 'parentbased_always_off' } });
  await off.provision('small', 1, {});
  await off.provision('small', 1);
  const followed = await off.stopped();
  t.is(traceText(followed, trace_id), requestTree);
  t.true(
    off.receiver.spans.every(
      (span) => span.trace_id === trace_id || span.links.length > 0 || span.name === 'DescribeInstances',
    ),
  );

  const none = await tracedBroker(t, { env: { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' } });
  await none.provision('small', 1);
  await none.stopped();
  t.deepEqual(none.receiver.spans, []);
});

test('a header that is no traceparent begins a trace of its own and is stored nowhere', async (t) => {
  const broker = await tracedBroker(t);
  const bad = `00-${'0'.repeat(32)}-${callerSpan}-01, <script>`;
  const request_id = await broker.provision('small', 1, { traceparent: bad, tracestate: 'x'.repeat(5_000) });
  const { trace } = (await broker.broker.store.get('request', { request_id })) ?? {};
  t.regex(trace?.traceparent ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  t.is(trace?.tracestate, undefined);
  await broker.stopped();
  t.is(only(broker.receiver.spans, 'POST /api/v1/machines/request').parent_id, '');
});
