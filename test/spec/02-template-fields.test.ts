import test, { type ExecutionContext } from 'ava';
import { bootBroker, type BootedBroker } from '../support/boot-broker.ts';
import { provider, specBroker } from './spec-broker.ts';

let broker: BootedBroker;
test.before(async () => {
  broker = await specBroker({
    configuration: {
      plugins: [
        'cloud',
        'cloud-runinstances',
        'cloud-ec2fleet',
        'cloud-spotfleet',
        'cloud-asg',
        'default-format',
        'hostfactory-format',
        'storage-memory',
      ],
      providers: [provider('east'), provider('west')],
    },
  });
});
test.after.always(() => broker.close());

let made = 0;
const create = (fields: object) => broker.call('POST', '/templates/', { template_id: `made-${++made}`, ...fields });
const shown = async (id: string) => (await broker.call('GET', `/templates/${id}`)).body.template;
/** What is stored of a template with these fields. */
async function stored(t: ExecutionContext, fields: object): Promise<Record<string, unknown>> {
  const answer = await create(fields);
  t.is(answer.status, 201, JSON.stringify(answer.body));
  return shown(answer.body.templateId);
}

test('template: template_id alone is enough to create one', async (t) => {
  const answer = await broker.call('POST', '/templates/', { template_id: 'alone' });
  t.is(answer.status, 201, JSON.stringify(answer.body));
  t.deepEqual(await shown('alone'), { template_id: 'alone', provider_api: 'cloud', version: '1.0' });
});

test('template: template_id is required, a text, and unique', async (t) => {
  t.regex((await broker.call('POST', '/templates/', { name: 'x' })).body.detail, /^\/template_id: is required$/);
  t.regex(
    (await broker.call('POST', '/templates/', { template_id: 7 })).body.detail,
    /^\/template_id: must be a string/,
  );
  t.is((await broker.call('POST', '/templates/', { template_id: 'small' })).status, 409);
});

for (const api of ['EC2Fleet', 'SpotFleet', 'RunInstances', 'ASG', 'cloud']) {
  test(`template: provider_api may be ${api}`, async (t) => {
    t.is((await stored(t, { provider_api: api }))['provider_api'], api);
  });
}

test('template: provider_api is no other value than an API or a provider type', async (t) => {
  const answer = await create({ provider_api: 'Lambda' });
  t.is(answer.status, 400);
  t.regex(answer.body.detail, /^\/provider_api: .*'Lambda'.*EC2Fleet/);
});

test('template: provider_api defaults to the primary provider type, and then means the first API that an instance offers', async (t) => {
  const fields = { image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'] };
  const { template_id, provider_api } = await stored(t, fields);
  t.is(provider_api, 'cloud');
  const answer = await broker.call('POST', `/templates/${String(template_id)}/validate`, {
    provider_instance: 'east',
  });
  t.true(answer.body.supported_features.includes('api:EC2Fleet'));
});

const texts = ['image_id', 'machine_type', 'key_name', 'user_data', 'name', 'version', 'provider_name'];
for (const field of texts) {
  test(`template: ${field} is a text`, async (t) => {
    const value = field === 'provider_name' ? 'east' : 'aGk=';
    t.is((await stored(t, { [field]: value }))[field], value);
    const wrong = await create({ [field]: 5 });
    t.is(wrong.status, 400);
    t.regex(wrong.body.detail, new RegExp(`^/${field}: must be a string, not a number`));
  });
}

for (const field of ['security_group_ids', 'subnet_ids']) {
  test(`template: ${field} is a list of texts`, async (t) => {
    t.deepEqual((await stored(t, { [field]: ['a-1', 'b-2'] }))[field], ['a-1', 'b-2']);
    t.regex((await create({ [field]: 'a-1' })).body.detail, new RegExp(`^/${field}: must be an array, not a string`));
    t.regex((await create({ [field]: ['a-1', 2] })).body.detail, new RegExp(`^/${field}/1: must be a string`));
  });
}

test('template: tags is an object of texts, kept as written', async (t) => {
  t.deepEqual((await stored(t, { tags: { team: 'a', costCenter: 'b', cost_center: 'c' } }))['tags'], {
    team: 'a',
    costCenter: 'b',
    cost_center: 'c',
  });
  t.regex((await create({ tags: { team: 1 } })).body.detail, /^\/tags\/team: must be a string/);
  t.regex((await create({ tags: ['team'] })).body.detail, /^\/tags: must be an object/);
});

test('template: version defaults to 1.0', async (t) => {
  t.is((await stored(t, {}))['version'], '1.0');
  t.is((await stored(t, { version: '2.1' }))['version'], '2.1');
});

test('template: instance_type is the old word for machine_type', async (t) => {
  for (const alias of ['instance_type', 'instanceType']) {
    const template = await stored(t, { [alias]: 't3.large' });
    t.is(template['machine_type'], 't3.large');
    t.false(alias in template);
  }
});

test('template: two words for the machine type with different values are a finding at both places', async (t) => {
  const { status, body } = await create({ instance_type: 't3.small', machineType: 't3.large' });
  t.is(status, 400);
  t.regex(body.detail, /\/instance_type: .*; \/machineType: /);
  t.is((await create({ instance_type: 't3.small', machine_type: 't3.small' })).status, 201);
});

const aliases: Readonly<Record<string, readonly [string, unknown]>> = {
  templateId: ['template_id', 'aliased'],
  imageId: ['image_id', 'ami-7'],
  providerApi: ['provider_api', 'EC2Fleet'],
  instanceType: ['machine_type', 't3.small'],
  keyName: ['key_name', 'k'],
  securityGroupIds: ['security_group_ids', ['sg-1']],
  subnetIds: ['subnet_ids', ['subnet-1']],
  userData: ['user_data', 'aGk='],
};
test(`template: ${Object.keys(aliases).join(', ')} are accepted in a body`, async (t) => {
  const body = Object.fromEntries(Object.entries(aliases).map(([alias, [, value]]) => [alias, value]));
  t.is((await broker.call('POST', '/templates/', body)).status, 201);
  t.deepEqual(await shown('aliased'), { ...Object.fromEntries(Object.values(aliases)), version: '1.0' });
});

test('template: provider_type and provider_name bind it, max_instances is a whole number', async (t) => {
  t.like(await stored(t, { provider_type: 'cloud', provider_name: 'west', max_instances: 3 }), {
    provider_type: 'cloud',
    provider_name: 'west',
    max_instances: 3,
  });
  t.is((await create({ provider_type: 'metal' })).status, 400);
  t.regex((await create({ max_instances: 1.5 })).body.detail, /^\/max_instances: must be an integer/);
});

test('template: the create command accepts description and configuration, whose fields yield to those beside it', async (t) => {
  const template = await stored(t, {
    description: 'd',
    configuration: { image_id: 'ami-a', key_name: 'k' },
    image_id: 'ami-b',
  });
  t.like(template, { description: 'd', image_id: 'ami-b', key_name: 'k' });
  t.false('configuration' in template);
});

test('template: configuration is a template in one object: in any spelling, with the id in it, in every write alike', async (t) => {
  const mine = await specBroker({ configuration: { providers: [provider('east')] } });
  t.teardown(() => mine.close());
  const fields = async (id: string) => (await mine.call('GET', `/templates/${id}`)).body.template;
  const made = await mine.call('POST', '/templates/', {
    configuration: { templateId: 'inside', imageId: 'ami-a' },
    image_id: 'ami-b',
  });
  t.like(made, { status: 201, body: { message: "Template 'inside' was created.", templateId: 'inside' } });
  t.is((await fields('inside')).image_id, 'ami-b');
  const changed = { configuration: { imageId: 'ami-c', keyName: 'k' }, key_name: 'over' };
  t.is((await mine.call('PUT', '/templates/inside', changed)).status, 200);
  t.like(await fields('inside'), { image_id: 'ami-c', key_name: 'over' });
  const other = await mine.call('PUT', '/templates/inside', { configuration: { template_id: 'another', name: 'n' } });
  t.like(other, { status: 400, body: { detail: "/template_id: 'another' is another template than 'inside'" } });
  t.false('name' in (await fields('inside')));
});

test('template: what validation says of a configuration is what creating it says', async (t) => {
  const mine = await specBroker({ configuration: { providers: [provider('east')] } });
  t.teardown(() => mine.close());
  for (const configuration of [{ image_id: 5 }, { imageId: 'a', image_id: 'b' }, 5, 'x', [], null]) {
    const { status, body } = await mine.call('POST', '/templates/validate', { template_id: 'v', configuration });
    t.is(status, 200);
    t.false(body.valid, JSON.stringify(configuration));
    t.is((await mine.call('POST', '/templates/', { template_id: 'v', configuration })).status, 400);
  }
  const inside = await mine.call('POST', '/templates/validate', {
    configuration: { template_id: 'w', image_id: 'ami-1' },
  });
  t.like(inside.body, { valid: true, templateId: 'w' });
  t.notRegex(inside.body.validationWarnings.join(), /configuration|template_id/);
});

test('source: source_info names file, kind of file, priority and the chain from the base to the most specific', async (t) => {
  const { writeFile } = await import('node:fs/promises');
  const own = await specBroker({
    configuration: { providers: [provider('east'), provider('west')] },
    templates: [{ template_id: 'layered', image_id: 'ami-1', machine_type: 't3.small', name: 'main' }],
  });
  t.teardown(() => own.close());
  const { directory } = own.place;
  await writeFile(`${directory}/cloud_templates.json`, JSON.stringify([{ template_id: 'layered', name: 'type' }]));
  await writeFile(`${directory}/west_templates.yaml`, '- template_id: layered\n  machineType: t3.large\n');
  await own.call('POST', '/templates/refresh');
  const { body } = await own.call('GET', '/templates/layered?include_source=true');
  t.deepEqual(Object.keys(body), ['template', 'timestamp']);
  t.like(body.template, { name: 'type', machine_type: 't3.large', image_id: 'ami-1', provider_name: 'west' });
  t.deepEqual(body.template.source_info, {
    source_file: 'west_templates.yaml',
    file_type: 'provider_instance',
    priority: 0,
    override_chain: [
      { file: 'templates.json', fields: ['image_id', 'machine_type', 'name'] },
      { file: 'cloud_templates.json', fields: ['name'] },
      { file: 'west_templates.yaml', fields: ['machine_type'] },
    ],
  });
  t.false('source_info' in (await own.call('GET', '/templates/layered')).body.template);
});

for (const [file, file_type, priority] of [
  ['templates.json', 'main', 2],
  ['cloud_templates.json', 'provider_type', 1],
  ['east_templates.json', 'provider_instance', 0],
] as const) {
  test(`source: a template of ${file} is of file type ${file_type}, priority ${priority}`, async (t) => {
    const own = await bootBroker({ storage: 'memory', loop: 'none', templates: [] });
    t.teardown(() => own.close());
    const { writeFile } = await import('node:fs/promises');
    await writeFile(`${own.place.directory}/${file}`, JSON.stringify([{ template_id: 'one' }]));
    await own.call('POST', '/templates/refresh');
    t.like((await own.call('GET', '/templates/one?includeSource=true')).body.template.source_info, {
      source_file: file,
      file_type,
      priority,
    });
  });
}

test('source: a template made over the API is its own layer', async (t) => {
  await create({ template_id: 'sourced', name: 'n' });
  t.deepEqual((await broker.call('GET', '/templates/sourced?include_source=true')).body.template.source_info, {
    source_file: 'api',
    file_type: 'api',
    priority: 0,
    override_chain: [{ file: 'api', fields: ['name'] }],
  });
});

test('source: what was read with its source can be written back; the source is no field of it', async (t) => {
  await create({ template_id: 'round', name: 'n' });
  const { template } = (await broker.call('GET', '/templates/round?include_source=true')).body;
  t.is((await broker.call('PUT', '/templates/round', template)).status, 200);
  t.false('source_info' in (await shown('round')));
});
