import { writeFile } from 'node:fs/promises';
import test from 'ava';
import type { BootedBroker } from '../support/boot-broker.ts';
import { provider, shape, specBroker } from './spec-broker.ts';

let broker: BootedBroker;
test.before(async () => {
  broker = await specBroker({ configuration: { providers: [provider('east')] } });
});
test.after.always(() => broker.close());

const ids = (body: any): readonly string[] => body.templates.map((each: any) => each.template_id);
/** A broker for tests that change templates. */
const own = () => specBroker({ configuration: { providers: [provider('east')] } });

for (const scheduler of ['default', 'hostfactory'] as const) {
  test(`GET /templates/: the same envelope under the scheduler ${scheduler}`, async (t) => {
    const other = await specBroker({ scheduler });
    t.teardown(() => other.close());
    const { status, body } = await other.call('GET', '/templates/');
    t.is(status, 200);
    const { templates, ...rest } = body;
    t.deepEqual(shape(rest), {
      total_count: 'integer',
      count: 'integer',
      message: 'string',
      success: 'boolean',
      timestamp: 'time',
    });
    t.like(rest, { total_count: 3, count: 3, success: true });
    t.like(templates[0], { template_id: 'bounded', provider_api: 'RunInstances', subnet_ids: ['subnet-1'] });
  });
}

test('GET /templates/: provider_api filters, and total and filters join the answer', async (t) => {
  const { body } = await broker.call('GET', '/templates/?provider_api=RunInstances');
  t.deepEqual(ids(body), ['bounded', 'small']);
  t.like(body, { count: 2, total_count: 2, total: 2, filters: { provider_api: 'RunInstances' } });
  t.false('total' in (await broker.call('GET', '/templates/')).body);
});

test('GET /templates/: provider_type and provider_name filter too, together with the others', async (t) => {
  t.is((await broker.call('GET', '/templates/?provider_type=cloud')).body.count, 3);
  t.deepEqual((await broker.call('GET', '/templates/?provider_name=east')).body.templates, []);
  const { body } = await broker.call('GET', '/templates/?provider_type=cloud&provider_api=EC2Fleet');
  t.deepEqual(ids(body), ['fleet']);
  t.deepEqual(body.filters, { provider_type: 'cloud', provider_api: 'EC2Fleet' });
});

test('GET /templates/: force_refresh reads the files again, its default does not', async (t) => {
  const mine = await own();
  t.teardown(() => mine.close());
  await writeFile(`${mine.place.directory}/templates.json`, '[{"template_id":"fresh"}]');
  t.is((await mine.call('GET', '/templates/')).body.count, 3);
  t.is((await mine.call('GET', '/templates/?force_refresh=false')).body.count, 3);
  t.deepEqual(ids((await mine.call('GET', '/templates/?force_refresh=true')).body), ['fresh']);
  t.is((await mine.call('GET', '/templates/?force_refresh=maybe')).status, 400);
});

test('GET /templates/{template_id}: the template and a time', async (t) => {
  const { status, body } = await broker.call('GET', '/templates/small');
  t.is(status, 200);
  t.deepEqual(Object.keys(body), ['template', 'timestamp']);
  t.is(shape(body.timestamp), 'time');
  t.is(body.template.template_id, 'small');
});

test('GET /templates/{template_id}: 404 where there is none of this id', async (t) => {
  const { status, body } = await broker.call('GET', '/templates/none');
  t.is(status, 404);
  t.deepEqual(Object.keys(body), ['detail', 'code']);
  t.regex(body.detail, /'none'/);
});

const written = { message: 'string', templateId: 'string', timestamp: 'time' };

test('POST /templates/: 201 with message, templateId and timestamp; then it is there', async (t) => {
  const mine = await own();
  t.teardown(() => mine.close());
  const { status, body } = await mine.call('POST', '/templates/', { template_id: 'new', name: 'n' });
  t.is(status, 201);
  t.deepEqual(shape(body), written);
  t.is(body.templateId, 'new');
  t.is((await mine.call('GET', '/templates/new')).body.template.name, 'n');
});

test('POST /templates/: 400 with everything that fails validation, and nothing is stored', async (t) => {
  const { status, body } = await broker.call('POST', '/templates/', {
    template_id: 'bad',
    subnet_ids: 'x',
    tags: { a: 1 },
    name: 2,
  });
  t.is(status, 400);
  t.is(
    body.detail,
    '/name: must be a string, not a number; /subnet_ids: must be an array, not a string; /tags/a: must be a string, not a number',
  );
  t.is((await broker.call('GET', '/templates/bad')).status, 404);
});

test('PUT /templates/{template_id}: all fields are optional, those left out stay, null takes one away', async (t) => {
  const mine = await own();
  t.teardown(() => mine.close());
  await mine.call('POST', '/templates/', { template_id: 'new', name: 'n', key_name: 'k' });
  const { status, body } = await mine.call('PUT', '/templates/new', { keyName: null, imageId: 'ami-9' });
  t.is(status, 200);
  t.deepEqual(shape(body), written);
  t.is(body.templateId, 'new');
  t.deepEqual((await mine.call('GET', '/templates/new')).body.template, {
    template_id: 'new',
    name: 'n',
    image_id: 'ami-9',
    provider_api: 'cloud',
    version: '1.0',
  });
  t.is((await mine.call('PUT', '/templates/new', {})).status, 200);
});

test('PUT /templates/{template_id}: 400 on what fails validation, the template stays as it was', async (t) => {
  const { status, body } = await broker.call('PUT', '/templates/small', { tags: 'x' });
  t.is(status, 400);
  t.regex(body.detail, /^\/tags: must be an object/);
  t.false('tags' in (await broker.call('GET', '/templates/small')).body.template);
});

test('DELETE /templates/{template_id}: 200 with message, templateId and timestamp; then it is gone', async (t) => {
  const mine = await own();
  t.teardown(() => mine.close());
  await mine.call('POST', '/templates/', { template_id: 'new' });
  const { status, body } = await mine.call('DELETE', '/templates/new');
  t.is(status, 200);
  t.deepEqual(shape(body), written);
  t.is((await mine.call('GET', '/templates/new')).status, 404);
});

test('POST /templates/validate: valid, templateId, errors, warnings and a time; nothing is stored', async (t) => {
  const { status, body } = await broker.call('POST', '/templates/validate', {
    templateId: 'tried',
    imageId: 'ami-1',
    machineType: 't3.small',
    subnetIds: ['subnet-1'],
  });
  t.is(status, 200);
  const { validationErrors, validationWarnings, ...rest } = body;
  t.deepEqual(shape(rest), { valid: 'boolean', templateId: 'string', timestamp: 'time' });
  t.deepEqual([body.valid, body.templateId, validationErrors, validationWarnings], [true, 'tried', [], []]);
  t.is((await broker.call('GET', '/templates/tried')).status, 404);
});

test('POST /templates/validate: any object is an answer, not a refusal', async (t) => {
  const { status, body } = await broker.call('POST', '/templates/validate', { anything: { at: ['all'] }, tags: 5 });
  t.is(status, 200);
  t.like(body, { valid: false, templateId: null });
  t.deepEqual(body.validationErrors, ['/tags: must be an object, not a number']);
  t.true(body.validationWarnings.some((each: string) => each.startsWith('/anything: ')));
});

test('POST /templates/refresh: message, templateCount, cacheStats and a time', async (t) => {
  const { status, body } = await broker.call('POST', '/templates/refresh');
  t.is(status, 200);
  const { cacheStats, ...rest } = body;
  t.deepEqual(shape(rest), { message: 'string', templateCount: 'integer', timestamp: 'time' });
  t.is(body.templateCount, 3);
  t.like(cacheStats, { templates: 3, files: 1, errors: [], warnings: [] });
});

test('POST /templates/refresh: what changed in the files shows', async (t) => {
  const mine = await own();
  t.teardown(() => mine.close());
  await writeFile(`${mine.place.directory}/templates.json`, '[{"template_id":"fresh"},{"template_id":"second"}]');
  t.is((await mine.call('POST', '/templates/refresh')).body.templateCount, 2);
  t.deepEqual(ids((await mine.call('GET', '/templates/')).body), ['fresh', 'second']);
});
