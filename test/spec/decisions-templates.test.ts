import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import test from 'ava';
import { provider, specBroker } from './spec-broker.ts';

const two = () => specBroker({ configuration: { providers: [provider('east'), provider('west', { priority: 2 })] } });

test('hot reload: a file that breaks keeps its last good state, and refresh says what is wrong', async (t) => {
  const broker = await two();
  t.teardown(() => broker.close());
  const { directory } = broker.place;
  await writeFile(`${directory}/cloud_templates.yaml`, '- template_id: small\n  name: kept\n- template_id: typed\n');
  t.is((await broker.call('POST', '/templates/refresh')).body.templateCount, 4);
  for (const text of ['- template_id: [', 'just a text', '{"a": 1}']) {
    await writeFile(`${directory}/cloud_templates.yaml`, text);
    const { body } = await broker.call('POST', '/templates/refresh');
    t.is(body.templateCount, 4, text);
    t.regex(body.message, /cloud_templates\.yaml/, text);
    t.is(body.cacheStats.errors.length, 1);
    t.true(
      body.cacheStats.warnings.some((each: string) =>
        each.includes('cloud_templates.yaml: its templates keep the content'),
      ),
    );
    t.is((await broker.call('GET', '/templates/small')).body.template.name, 'kept');
  }
  await writeFile(`${directory}/cloud_templates.yaml`, '- template_id: small\n  name: mended\n');
  const mended = (await broker.call('POST', '/templates/refresh')).body;
  t.deepEqual([mended.templateCount, mended.cacheStats.errors], [3, []]);
  t.is((await broker.call('GET', '/templates/small')).body.template.name, 'mended');
});

test('hot reload: layers of a broken file stay in their order under the others', async (t) => {
  const broker = await two();
  t.teardown(() => broker.close());
  const { directory } = broker.place;
  await writeFile(`${directory}/aws_templates.json`, '[{"template_id":"small","name":"alias"}]');
  await writeFile(`${directory}/cloud_templates.json`, '[{"template_id":"small","name":"type"}]');
  await broker.call('POST', '/templates/refresh');
  await writeFile(`${directory}/aws_templates.json`, '[');
  await writeFile(`${directory}/templates.json`, '[');
  await broker.call('POST', '/templates/refresh');
  const { template } = (await broker.call('GET', '/templates/small?include_source=true')).body;
  t.is(template.name, 'type');
  t.deepEqual(
    template.source_info.override_chain.map((each: any) => each.file),
    ['templates.json', 'aws_templates.json', 'cloud_templates.json'],
  );
});

test('hot reload: a file that is taken away is gone, a directory that cannot be read is not', async (t) => {
  const broker = await specBroker({ configuration: { templates: { directory: './kept' } } });
  t.teardown(() => broker.close());
  const directory = `${broker.place.directory}/kept`;
  await mkdir(directory);
  await writeFile(`${directory}/templates.json`, '[{"template_id":"one"}]');
  t.is((await broker.call('POST', '/templates/refresh')).body.templateCount, 1);
  await rename(directory, `${directory}-moved`);
  const moved = (await broker.call('POST', '/templates/refresh')).body;
  t.is(moved.templateCount, 1);
  t.is(moved.cacheStats.errors.length, 1);
  await rename(`${directory}-moved`, directory);
  await rm(`${directory}/templates.json`);
  t.is((await broker.call('POST', '/templates/refresh')).body.templateCount, 0);
});

test('layers: several instance files open a template to those instances, each with its own layer', async (t) => {
  const broker = await two();
  t.teardown(() => broker.close());
  const { directory } = broker.place;
  await writeFile(`${directory}/east_templates.json`, '[{"template_id":"small","machine_type":"t3.large"}]');
  await broker.call('POST', '/templates/refresh');
  t.is((await broker.call('GET', '/templates/small')).body.template.provider_name, 'east', 'one file binds');
  await writeFile(`${directory}/west_templates.json`, '[{"template_id":"small","machine_type":"t3.nano"}]');
  await broker.call('POST', '/templates/refresh');
  const { template } = (await broker.call('GET', '/templates/small')).body;
  t.false('provider_name' in template);
  t.is(template.machine_type, 't3.large', 'shown as the preferred instance has it');
});

test('layers: a template of the API overrides its files; after its removal the file applies again', async (t) => {
  const broker = await two();
  t.teardown(() => broker.close());
  await broker.call('PUT', '/templates/small', { name: 'mine', image_id: null });
  const { template } = (await broker.call('GET', '/templates/small?include_source=true')).body;
  t.is(template.name, 'mine');
  t.false('image_id' in template, 'null hides the field of a file');
  t.deepEqual(template.source_info.override_chain.at(-1), { file: 'api', fields: ['name', 'image_id'] });
  t.is((await broker.call('DELETE', '/templates/small')).status, 200);
  t.is((await broker.call('GET', '/templates/small')).body.template.image_id, 'ami-1');
  const again = await broker.call('DELETE', '/templates/small');
  t.is(again.status, 409);
});

const longest = `a${'b'.repeat(127)}`;
for (const id of ['a', '0', 'A.b-c_d', '9...', longest, 'constructor', 'validate', 'refresh']) {
  test(`ids: ${id.length > 20 ? 'one of 128 characters' : id} works in every route`, async (t) => {
    const broker = await two();
    t.teardown(() => broker.close());
    const fields = { image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'] };
    t.is((await broker.call('POST', '/templates/', { template_id: id, ...fields })).status, 201);
    t.is((await broker.call('GET', `/templates/${id}`)).body.template.template_id, id);
    t.is((await broker.call('PUT', `/templates/${id}`, { name: 'n' })).status, 200);
    t.is((await broker.call('POST', `/templates/${id}/validate`, { provider_instance: 'east' })).body.valid, true);
    t.is((await broker.call('POST', `/templates/${id}/validate-multi`, {})).body.template_id, id);
    t.is((await broker.call('POST', '/providers/select', { template_id: id })).status, 200);
    t.is((await broker.call('POST', '/machines/request', { template_id: id, machine_count: 1 })).body.template_id, id);
    t.is((await broker.call('POST', '/requests/', { template_id: id, count: 1 })).body.template_id, id);
    t.is((await broker.call('DELETE', `/templates/${id}`)).status, 200);
  });
}

test('ids: what is outside the allowed set is refused with a sentence and never stored', async (t) => {
  const broker = await two();
  t.teardown(() => broker.close());
  for (const id of [
    '',
    '-a',
    '.a',
    '_a',
    'a b',
    'a/b',
    'ä',
    'a\n',
    `${longest}x`,
    '__proto__',
    '../etc',
    'a%2fb',
    null,
    5,
    {},
  ]) {
    const { status, body } = await broker.call('POST', '/templates/', { template_id: id });
    t.is(status, 400, String(id));
    t.regex(body.detail, /\/template_id: /);
  }
  t.is((await broker.call('GET', '/templates/')).body.total_count, 3);
});

test('ids: a file template outside the set is left out with a finding', async (t) => {
  const broker = await specBroker({ templates: [{ template_id: 'good' }, { template_id: 'not good' }] });
  t.teardown(() => broker.close());
  const { body } = await broker.call('POST', '/templates/refresh');
  t.is(body.templateCount, 1);
  t.regex(body.cacheStats.errors[0], /'not good'.*an id is 1 to 128/);
});

test('aliases: aws means the type cloud, AutoScalingGroup the API ASG, in bodies', async (t) => {
  const broker = await specBroker({
    configuration: {
      plugins: ['cloud', 'cloud-runinstances', 'cloud-asg', 'default-format', 'storage-memory'],
      providers: [{ ...provider('east'), type: 'aws' }],
    },
  });
  t.teardown(() => broker.close());
  t.is((await broker.call('GET', '/providers/east')).body.type, 'cloud');
  await broker.call('POST', '/templates/', {
    template_id: 'aliased',
    provider_type: 'aws',
    provider_api: 'AutoScalingGroup',
  });
  t.like((await broker.call('GET', '/templates/aliased')).body.template, {
    provider_type: 'cloud',
    provider_api: 'ASG',
  });
  t.is(
    (await broker.call('POST', '/providers/validate', { providers: [{ name: 'x', type: 'aws' }] })).body.valid,
    true,
  );
  const preferred = {
    template_id: 'aliased',
    maxNumber: 1,
    providerPreference: { type: 'load_balanced', provider_type: 'aws' },
  };
  await broker.call('PUT', '/templates/aliased', {
    image_id: 'ami-1',
    machine_type: 't3.small',
    subnet_ids: ['subnet-1'],
  });
  t.like(await broker.call('POST', '/requests/', preferred), {
    status: 201,
    body: { provider_selection: { provider_type: 'cloud' } },
  });
  const tried = await broker.call('POST', '/providers/select', { template_id: 'aliased', provider_type: 'aws' });
  t.like(tried, { status: 200, body: { provider_type: 'cloud', selection_strategy: 'load_balanced' } });
  const unknown = await broker.call('POST', '/providers/select', { template_id: 'aliased', provider_type: 'gcp' });
  t.is(unknown.body.error.code, 'PROVIDER_TYPE_MISMATCH');
  const asked = { provider_type: 'aws', environment_variables: {} };
  t.is((await broker.call('POST', '/providers/validate-env', asked)).body.provider_type, 'cloud');
  const { body } = await broker.call('GET', '/templates/?provider_type=aws&provider_api=AutoScalingGroup');
  t.like(body, { total: 1, filters: { provider_type: 'cloud', provider_api: 'ASG' } });
});

test('open objects: unknown fields of a template are kept as written, with a warning where it is validated', async (t) => {
  const broker = await two();
  t.teardown(() => broker.close());
  await broker.call('POST', '/templates/', { template_id: 'odd', someField: { innerKey: 1 }, another_one: null });
  t.deepEqual((await broker.call('GET', '/templates/odd')).body.template.someField, { innerKey: 1 });
  const { body } = await broker.call('POST', '/templates/validate', { template_id: 'odd', machine_tpye: 'x' });
  t.true(
    body.validationWarnings.includes("/machine_tpye: unknown field, kept as it is; did you mean 'machine_type'?"),
  );
});

test('lists: a template that names neither type nor API is found by those that it resolves to, and by the name of its type', async (t) => {
  const broker = await specBroker({
    templates: [{ template_id: 'open' }, { template_id: 'run', provider_api: 'RunInstances' }],
  });
  t.teardown(() => broker.close());
  const found = async (query: string) =>
    (await broker.call('GET', `/templates/?${query}`)).body.templates.map((each: any) => each.template_id);
  t.deepEqual(await found('provider_api=EC2Fleet'), ['open']);
  t.deepEqual(await found('provider_api=cloud'), ['open']);
  t.deepEqual(await found('provider_type=cloud'), ['open', 'run']);
});

test('free maps: attributes and native specifications are never renamed inside', async (t) => {
  const broker = await two();
  t.teardown(() => broker.close());
  const free = {
    attributes: { nCpus: ['Numeric', '4'] },
    launch_template_spec: { instanceType: 'x' },
    provider_api_spec: { imageId: 1, image_id: 2 },
  };
  await broker.call('POST', '/templates/', { template_id: 'free', ...free });
  t.like((await broker.call('GET', '/templates/free')).body.template, free);
});

test('validate: without an id it is a warning, an unknown provider type an error', async (t) => {
  const broker = await two();
  t.teardown(() => broker.close());
  const { body } = await broker.call('POST', '/templates/validate', {
    image_id: 'ami-1',
    machine_type: 't3.small',
    subnet_ids: ['subnet-1'],
  });
  t.like(body, { valid: true, templateId: null });
  t.is(body.validationWarnings.length, 1);
  t.is((await broker.call('POST', '/templates/', { template_id: 'x', provider_type: 'metal' })).status, 400);
});

test('writes: many writers of one template at once all come through, and none undoes what another wrote', async (t) => {
  const broker = await specBroker({ storage: 'sqlite' });
  t.teardown(() => broker.close());
  const names = Array.from({ length: 24 }, (_, i) => `field_${i}`);
  const answers = await Promise.all(names.map((name) => broker.call('PUT', '/templates/small', { [name]: 'x' })));
  t.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  t.like(
    (await broker.call('GET', '/templates/small')).body.template,
    Object.fromEntries(names.map((name) => [name, 'x'])),
  );
});

test('writes: a template that another process deleted is gone for this one at once', async (t) => {
  const one = await specBroker({ storage: 'sqlite' });
  const two = await specBroker({ storage: 'sqlite', place: one.place });
  t.teardown(async () => {
    await two.close();
    await one.close();
  });
  for (const [method, body] of [['DELETE'], ['PUT', { name: 'x' }]] as const) {
    await one.call('POST', '/templates/', { template_id: 'brief' });
    t.is((await two.call('GET', '/templates/brief')).status, 200);
    t.is((await one.call('DELETE', '/templates/brief')).status, 200);
    t.like(await two.call(method, '/templates/brief', body), { status: 404 }, method);
    t.is((await two.call('GET', '/templates/brief')).status, 404);
  }
});
