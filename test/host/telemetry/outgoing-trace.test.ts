import { AsyncLocalStorage } from 'node:async_hooks';
import { context, propagation, ROOT_CONTEXT, trace, type Context, type ContextManager } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import test from 'ava';
import { remoteExecutor } from '../../../host/sdk/remote-executor.ts';
import { outgoingTrace } from '../../../host/telemetry/outgoing-trace.ts';
import { trace_id, traceparent } from '../../support/otlp/traced-broker.ts';

test('a program without a trace sends none', async (t) => t.is(await outgoingTrace({}), undefined));

test('the trace of the environment is passed on, and nothing else that stands there', async (t) => {
  const TRACEPARENT = traceparent;
  t.deepEqual(await outgoingTrace({ TRACEPARENT, TRACESTATE: 'a=1' }), { traceparent, tracestate: 'a=1' });
  t.deepEqual(await outgoingTrace({ TRACEPARENT, TRACESTATE: 'a=1\r\nx: y' }), { traceparent });
  t.is(await outgoingTrace({ TRACEPARENT: `${traceparent}\r\nx-evil: 1` }), undefined);
});

test.serial('the SDK continues the span that runs in a program which uses OpenTelemetry', async (t) => {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, self, ...args) => storage.run(active, () => run.apply(self as never, args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  t.teardown(() => {
    context.disable();
    propagation.disable();
  });
  const sent: Readonly<Record<string, string>>[] = [];
  const execute = remoteExecutor({
    where: 'test',
    async send({ headers = {} }) {
      sent.push(headers);
      return { status: 200, body: '{}' };
    },
    close() {},
  });
  const span = { traceId: trace_id, spanId: '00f067aa0ba902b7', traceFlags: 1 };
  await context.with(trace.setSpanContext(ROOT_CONTEXT, span), () => execute({ name: 'list_templates' }, {}, {}));
  await execute({ name: 'list_templates' }, {}, {});
  t.is(sent[0]?.['traceparent'], `00-${trace_id}-00f067aa0ba902b7-01`);
  t.is(sent[1]?.['traceparent'], undefined);
});
