import { join } from 'node:path';
import test from 'ava';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';
import { openApiFindings } from '../../support/openapi-findings.ts';

const csv = 'text/csv; charset=utf-8; header=present';
const json = 'application/json; charset=utf-8';
const format = join(import.meta.dirname, '../../../docs/examples/format-csv');

let broker: BootedBroker;
test.before(async () => {
  const plugins = ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'default-format', 'storage-memory', format];
  broker = await bootBroker({ loop: 'none', storage: 'memory', configuration: { plugins, scheduler: 'csv' } });
});
test.after.always(() => broker.close());

const ask = (headers: Record<string, string> = {}) =>
  broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 2 }, headers);

test('where the words of the scheduler are text, so are the answers, and their type says which', async (t) => {
  const { status, headers, body } = await ask();
  t.deepEqual([status, headers['content-type']], [200, csv]);
  const [names, row = ''] = body.split('\r\n');
  t.is(names, 'request_id,template_id,machine_count,status,message');
  const [id = ''] = row.split(',');
  const shown = await broker.call('GET', `/requests/${id}/status`);
  t.is(shown.headers['content-type'], csv);
  t.true(shown.body.startsWith('request_id,request_status,machine_id,'));
  t.true(shown.body.includes(`\r\n${id},pending,,`));
  const list = await broker.call('GET', '/requests/');
  t.deepEqual(
    [list.headers['content-type'], list.body.includes(`\r\n${id},provision,small,2,0,pending,`)],
    [csv, true],
  );
  // Text as it is, not JSON that holds it; and from memory the same.
  t.is((await broker.app.inject('/api/v1/requests/')).payload, list.body);
  t.is((await broker.call('GET', '/requests/')).body, list.body);
  const reclaimed = await broker.call('POST', '/machines/reclaimed', { names: ['host-1'] });
  t.deepEqual([reclaimed.headers['content-type'], reclaimed.body], [csv, 'machine_id,name,reason,grace_period_s\r\n']);
});

test('what the scheduler has no words for stays JSON: refusals, lists of templates, operations by their name', async (t) => {
  const refused = await broker.call('GET', '/requests/req-none/status');
  t.deepEqual(
    [refused.status, refused.headers['content-type'], Object.keys(refused.body)],
    [404, json, ['detail', 'code']],
  );
  const templates = await broker.call('GET', '/templates/');
  t.deepEqual([templates.headers['content-type'], templates.body.success], [json, true]);
  const asked = await broker.call('POST', '/operations/create_request', { template_id: 'small', machine_count: 1 });
  t.deepEqual([asked.headers['content-type'], asked.body.status], [json, 'pending']);
  const selected = await broker.call('POST', '/requests/', { template_id: 'small', machine_count: 1 });
  t.deepEqual([selected.status, selected.headers['content-type'], selected.body.status], [201, json, 'pending']);
});

test('a call that is repeated under its Idempotency-Key has the same text for an answer', async (t) => {
  const key = { 'idempotency-key': 'text-1' };
  const first = await ask(key);
  const again = await ask(key);
  t.is(again.body, first.body);
  t.is(again.headers['content-type'], csv);
});

test('HEAD has the type and length of GET', async (t) => {
  const [head, get] = await Promise.all(
    (['HEAD', 'GET'] as const).map((method) => broker.app.inject({ method, url: '/api/v1/requests/' })),
  );
  t.is(head?.headers['content-type'], get?.headers['content-type']);
  t.is(head?.headers['content-length'], get?.headers['content-length']);
});

test('the documentation of the API says which answers are text, and shows one', async (t) => {
  const document = (await broker.app.inject('/openapi.json')).json();
  t.deepEqual(openApiFindings(document), []);
  const { responses } = document.paths['/api/v1/requests/{request_id}/status'].get;
  t.deepEqual(Object.keys(responses['200'].content), ['text/csv']);
  t.regex(responses['200'].content['text/csv'].example, /^request_id,request_status,machine_id,.*\r\n$/);
  t.is(document.components.schemas.RequestStatus.type, 'string');
  t.deepEqual(Object.keys(responses['404'].content), ['application/json']);
  t.deepEqual(Object.keys(document.paths['/api/v1/templates/'].get.responses['200'].content), ['application/json']);
});
