import test from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';
import { otlpReceiver } from '../../support/otlp/receiver.ts';
import { traceText } from '../../support/otlp/trace-text.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('try', async (t) => {
  const receiver = await otlpReceiver();
  const b = await bootBroker({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }, loop: 'inline' });
  const { body } = await b.call(
    'POST',
    '/machines/request',
    { template_id: 'small', machine_count: 2 },
    { traceparent },
  );
  await b.until(async () => (await b.call('GET', `/requests/${body.request_id}/status`)).body.status === 'completed');
  await b.close();
  t.log(traceText(receiver.spans, '0af7651916cd43dd8448eb211c80319c', (s) => JSON.stringify(s.attributes)));
  t.log(
    receiver.spans
      .map((s) => `${s.name} ${s.trace_id} ${JSON.stringify(s.links)} ${s.attributes['http.route'] ?? ''}`)
      .join('\n'),
  );
  t.log(receiver.metrics.length, receiver.resources[0]);
  await receiver.close();
  t.pass();
});
