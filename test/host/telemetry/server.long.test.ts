import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import { makePlace, startBroker, until } from '../../support/boot-broker.ts';
import { otlpReceiver } from '../../support/otlp/receiver.ts';
import { only, requestTree, trace_id, traceparent } from '../../support/otlp/traced-broker.ts';
import { traceText } from '../../support/otlp/trace-text.ts';
import { execCli } from '../../support/run-cli.ts';

/** Writes each module of a thread that is loaded from a package of OpenTelemetry. */
const watch = `
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  if (url.includes('/node_modules/@opentelemetry/')) appendFileSync(process.env.WATCH_OTEL ?? 'otel-modules', url + '\\n');
  return next(url, context);
} });
`;

test.serial('without the variable, a server that works loads nothing of OpenTelemetry', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  const hooks = join(place.directory, 'watch.mjs');
  const loaded = join(place.directory, 'loaded');
  writeFileSync(hooks, watch);
  writeFileSync(loaded, '');
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(hooks).href}`, WATCH_OTEL: loaded, OTEL_SERVICE_NAME: 'x' };
  const broker = await startBroker({ place, env });
  t.teardown(() => broker.stop());
  const done = await execCli(['requests', 'create', 'small', '1', '--wait'], { cwd: place.directory, env });
  t.is(done.code, 0, done.err);
  await fetch(`${broker.url}/api/v1/machines/request`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent },
    body: JSON.stringify({ template_id: 'small', machine_count: 1 }),
  });
  t.is(readFileSync(loaded, 'utf8'), '');
});

test.serial('two workers, the loop and the command line are one trace, and a stop exports what is left', async (t) => {
  const receiver = await otlpReceiver();
  const place = await makePlace();
  t.teardown(async () => {
    await receiver.close();
    await place.close();
  });
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '60000',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
  };
  const broker = await startBroker({ place, env, args: ['--workers', '2'] });
  t.teardown(() => broker.stop());
  const calling = { cwd: place.directory, env: { TRACEPARENT: traceparent } };
  const done = await execCli(['requests', 'create', 'small', '2', '--wait', '--output', 'json'], calling);
  t.is(done.code, 0, done.err);
  await until(async () =>
    receiver.metrics
      .find(({ name }) => name === 'muster_machines')
      ?.points.some(({ attributes, value }) => attributes['status'] === 'running' && value === 2),
  );
  t.deepEqual(receiver.spans, []);
  t.is(await broker.kill('SIGTERM'), 0);
  const created = receiver.spans.find(
    ({ attributes, trace_id: id }) =>
      id === trace_id &&
      attributes['muster.request_id'] !== undefined &&
      attributes['muster.operation'] === 'create_request',
  );
  const mine = receiver.spans.filter(
    ({ span_id, attributes }) =>
      span_id === created?.span_id ||
      attributes['muster.request_id'] === created?.attributes['muster.request_id'] ||
      attributes['muster.selection.reason'] !== undefined,
  );
  t.is(traceText(mine, trace_id), requestTree.replace('/machines/request', '/operations/{operation}'));
  t.is(created?.attributes['muster.interface'], 'cli');
  t.is(new Set(receiver.resources.map((each) => each['service.instance.id'])).size, 1);
  t.false(broker.output.stderr.includes('"level":"warn"'), broker.output.stderr);
});

test.serial('a script of HostFactory continues the trace of its environment', async (t) => {
  const receiver = await otlpReceiver();
  const place = await makePlace({ scheduler: 'hostfactory' });
  t.teardown(async () => {
    await receiver.close();
    await place.close();
  });
  const broker = await startBroker({ place, env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
  t.teardown(() => broker.stop());
  const body = JSON.stringify({ template: { templateId: 'small', machineCount: 1 } });
  writeFileSync(join(place.directory, 'in.json'), body);
  const done = await execCli(['hostfactory', 'requestMachines', '-f', 'in.json'], {
    cwd: place.directory,
    env: { TRACEPARENT: traceparent, MUSTER_CONFIG: join(place.directory, 'muster.config.json') },
  });
  t.is(done.code, 0, done.err);
  await until(async () => receiver.spans.some(({ name }) => name === 'request'));
  const spans = receiver.spans.filter((span) => span.trace_id === trace_id);
  t.is(only(spans, 'POST /api/v1/hostfactory/requestMachines').attributes['muster.interface'], 'hostfactory');
  t.is(only(spans, 'RunInstances').attributes['muster.template_id'], 'small');
});
