import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { loadConfiguration } from '../../../config/load.ts';
import { webhook } from '../../../plugins/events-webhook/webhook.ts';
import { bootBroker, makePlace } from '../../support/boot-broker.ts';

const plugins = ['cloud', 'cloud-runinstances', 'default-format', 'storage-memory', 'events-webhook'];
const hook = { type: 'webhook', name: 'ops', url: 'http://127.0.0.1:9/x', secret: 'a key of signatures' };

/** The findings of a configuration with these sinks, as `path: message`. */
async function findingsOf(t: { teardown(over: () => Promise<void>): void }, sinks: readonly object[], more = plugins) {
  const place = await makePlace({
    storage: 'memory',
    templates: [],
    configuration: { plugins: more, events: { sinks } },
  });
  t.teardown(() => place.close());
  try {
    await loadConfiguration({ cwd: place.directory, env: {} });
    return [];
  } catch (error) {
    const { findings } = (error as { readonly details: { readonly findings: readonly any[] } }).details;
    return findings.filter(({ level }) => level === 'error').map(({ path, message }) => `${path}: ${message}`);
  }
}

test('sinks of the configuration are checked with the options of their type, all at once', async (t) => {
  t.deepEqual(await findingsOf(t, [hook]), []);
  const findings = await findingsOf(t, [
    { ...hook, url: 'ftp://x', secret: 'short', timeot: 3 },
    { ...hook },
    { ...hook, name: 'other', type: 'webhok' },
    { ...hook, name: 'third', url: 'http://127.0.0.1:99999/x' },
  ]);
  t.is(findings.length, 6, findings.join('\n'));
  for (const expected of [
    /^\/events\/sinks\/0\/url: /,
    /^\/events\/sinks\/0\/secret: /,
    /^\/events\/sinks\/0\/timeot: unknown field; did you mean 'timeout'\?/,
    /^\/events\/sinks\/1\/name: 'ops' is already the name of another event sink/,
    /^\/events\/sinks\/2\/type: no loaded plugin contributes the event sink type 'webhok'/,
    /^\/events\/sinks\/3\/url: is no valid URL/,
  ])
    t.true(
      findings.some((finding) => expected.test(finding)),
      `${String(expected)} in ${findings.join('\n')}`,
    );
});

test('a URL that none can call is an error, and a type that no event has a warning', (t) => {
  const review = (fields: object) =>
    webhook.review?.({ ...hook, timeout: 1, ...fields })?.map(({ level, path }) => `${level} ${path}`);
  t.deepEqual(review({ types: ['request.failed', 'machine.*'] }), []);
  t.deepEqual(review({ url: 'http://127.0.0.1:99999/x', types: ['machine.redy', 'machines.*'] }), [
    'error /url',
    'warning /types/0',
    'warning /types/1',
  ]);
});

test('without its plugin, a sink is a finding that names the plugin', async (t) => {
  const [finding] = await findingsOf(t, [hook], plugins.slice(0, -1));
  t.regex(finding ?? '', /add 'events-webhook' to plugins/);
});

test('a broker sends the events of a request, from its acceptance to its end, in order; its secrets are masked', async (t) => {
  const got: { readonly seq: number; readonly type: string; readonly request_id?: string }[] = [];
  let refused = 2;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    refused -= 1;
    if (refused < 0) got.push(JSON.parse(body));
    response.writeHead(refused < 0 ? 200 : 503).end();
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hidden-path`;
  const broker = await bootBroker({
    storage: 'memory',
    configuration: { plugins, events: { sinks: [{ ...hook, url, types: ['request.*'] }] } },
    templates: [
      {
        template_id: 'small',
        provider_api: 'RunInstances',
        image_id: 'ami-1',
        machine_type: 't3.small',
        subnet_ids: ['subnet-1'],
      },
    ],
  });
  t.teardown(() => broker.close());
  const asked = await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
  const { request_id } = asked.body;
  await broker.until(async () => got.some(({ type }) => type === 'request.completed'));
  const own = got.filter((event) => event.request_id === request_id);
  t.is(own.at(-1)?.type, 'request.completed');
  t.deepEqual(
    got.map(({ seq }) => seq),
    got.map(({ seq }) => seq).toSorted((a, b) => a - b),
  );
  const shown = await broker.call('POST', '/operations/get_configuration', {});
  t.like(shown.body.configuration.events.sinks[0], { type: 'webhook', name: 'ops', url: '***', secret: '***' });
  t.notRegex(JSON.stringify(shown.body), /hidden-path|a key of signatures/);
});
