import test from 'ava';
import { stderrLog } from '../../../host/process/log.ts';
import { secretsOf } from '../../../host/process/secrets.ts';
import { loadConfiguration } from '../../../config/load.ts';
import { makePlace } from '../../support/boot-broker.ts';
import { otlpReceiver } from '../../support/otlp/receiver.ts';
import { tracedAt, traceparent } from '../../support/otlp/traced-broker.ts';

const headerSecret = 'collector-token-4711';
const cloudSecret = 'cloud-secret-key-0815';
const hidden = [headerSecret, cloudSecret, 'user-data-secret', 'tag-secret', 'additional-secret', 'query-secret'];

test('no secret and no data of a caller reaches a collector, an answer or the log, and the headers reach the collector alone', async (t) => {
  const receiver = await otlpReceiver();
  t.teardown(() => receiver.close());
  const template = {
    template_id: 'small',
    provider_api: 'RunInstances',
    image_id: 'ami-1',
    machine_type: 't3.small',
    subnet_ids: ['subnet-1'],
    user_data: Buffer.from('user-data-secret').toString('base64'),
    tags: { owner: 'tag-secret' },
  };
  const faults = [
    {
      action: 'RunInstances',
      effect: 'skip',
      then: 'error',
      code: 'InvalidParameterValue',
      times: 1,
    },
  ] as never;
  const place = await makePlace({ templates: [template], knobs: { faults } });
  t.teardown(() => place.close());
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${headerSecret}`,
    MUSTER_CLOUD_SECRET_ACCESS_KEY: cloudSecret,
  };
  const loaded = await loadConfiguration({ cwd: place.directory, env });
  const lines: string[] = [];
  const log = stderrLog('debug', {
    secrets: secretsOf(loaded),
    to: { write: (line: string) => void lines.push(line) },
  });
  const broker = await tracedAt(t, receiver, { place, env, log, loop: 'thread' });
  const body = {
    template_id: 'small',
    machine_count: 1,
    tags: { a: 'tag-secret' },
    additional_data: { b: 'additional-secret' },
  };
  const { body: made } = await broker.call('POST', '/machines/request', body, { traceparent });
  await broker.ended(made.request_id);
  const shown = JSON.stringify((await broker.call('POST', '/operations/get_configuration', {})).body);
  receiver.behavior = { status: 401 };
  await broker.call('GET', '/templates/?password=query-secret', undefined, { traceparent });
  await broker.close();

  const exported = receiver.calls.map(({ text }) => text).join('\n');
  t.true(exported.includes('RunInstances') && exported.includes('InvalidParameterValue'));
  for (const secret of hidden) {
    t.false(exported.includes(secret), secret);
    t.false(lines.join('').includes(secret), secret);
    t.false(shown.includes(secret), secret);
  }
  t.true(receiver.calls.every(({ headers }) => headers.authorization === `Bearer ${headerSecret}`));
});
