import { writeFile } from 'node:fs/promises';
import test from 'ava';
import type { BootedBroker } from '../support/boot-broker.ts';
import { provider, specBroker } from './spec-broker.ts';

const machine = { image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'] };
const east = (template_defaults: object) =>
  provider('east', { template_defaults: { ...machine, ...template_defaults } });
const west = (more: object = {}) => provider('west', { priority: 2, template_defaults: machine, ...more });

/** The request that a call made, as it is kept. */
async function kept(own: BootedBroker, body: object) {
  const { request_id } = (await own.call('POST', '/requests/', body)).body;
  const request = await own.broker.store.get('request', { request_id });
  if (!request) throw new Error('No request was made.');
  return { ...request, seconds: (request.deadline_at - request.created_at) / 1000 };
}

test('template_defaults: what a request fixes is that of the instance which was chosen for it', async (t) => {
  const terms = { timeout: 60, partial: 'all_or_nothing', retry_until_timeout: true, replace_lost: true };
  const own = await specBroker({
    configuration: { providers: [east(terms), west()] },
    templates: [
      { template_id: 'open' },
      { template_id: 'own', timeout: 90, partial: 'best_effort', replace_lost: false },
    ],
  });
  t.teardown(() => own.close());
  const { timeout: _, ...fixed } = terms;
  const open = await kept(own, { template_id: 'open', count: 1 });
  t.like(open, { provider_instance: 'east', seconds: 60, template: fixed });
  t.like(await kept(own, { template_id: 'own', count: 1 }), {
    seconds: 90,
    template: { partial: 'best_effort', retry_until_timeout: true, replace_lost: false },
  });
  const elsewhere = await kept(own, {
    template_id: 'open',
    count: 1,
    provider_preference: { provider_instance: 'west' },
  });
  t.like(elsewhere, {
    provider_instance: 'west',
    seconds: 3600,
    template: { partial: undefined, replace_lost: undefined },
  });
});

test('template_defaults: provider_api names the API of templates that leave it to the instance', async (t) => {
  const own = await specBroker({
    configuration: { providers: [east({ provider_api: 'RunInstances' }), west()] },
    templates: [
      { template_id: 'open' },
      { template_id: 'any', provider_api: 'cloud' },
      { template_id: 'fleet', provider_api: 'EC2Fleet', machine_types: { 't3.small': 1 } },
    ],
  });
  t.teardown(() => own.close());
  const api = async (template_id: string, provider_instance: string) => {
    const { body } = await own.call('POST', '/providers/select', { template_id, provider_instance });
    return body.validation_result.supported_features[0];
  };
  t.deepEqual(
    [await api('open', 'east'), await api('any', 'east'), await api('fleet', 'east'), await api('open', 'west')],
    ['api:RunInstances', 'api:RunInstances', 'api:EC2Fleet', 'api:EC2Fleet'],
  );
  const listed = await own.call('GET', '/templates/?provider_api=RunInstances');
  t.deepEqual(
    listed.body.templates.map((each: any) => each.template_id),
    ['any', 'open'],
  );
});

test('template_defaults: an API that the instance does not offer keeps it out, with the reason', async (t) => {
  const own = await specBroker({
    configuration: { providers: [east({ provider_api: 'ASG' }), west()] },
    templates: [{ template_id: 'open' }],
  });
  t.teardown(() => own.close());
  const { body } = await own.call('POST', '/providers/select', { template_id: 'open' });
  t.is(body.provider_instance, 'west');
  t.like(body.rejected[0], { name: 'east', code: 'API_NOT_SUPPORTED' });
});

test('template_defaults: max_instances bounds one request and all machines of the template at once', async (t) => {
  const own = await specBroker({
    configuration: { providers: [east({ max_instances: 3 })] },
    templates: [{ template_id: 'open' }],
  });
  t.teardown(() => own.close());
  const ask = async (count: number) => {
    const { status, body } = await own.call('POST', '/requests/', { template_id: 'open', count });
    return body.error?.code ?? status;
  };
  t.is(await ask(4), 'INSTANCE_LIMIT_EXCEEDED');
  t.is(await ask(2), 201);
  t.is(await ask(2), 'INSTANCE_LIMIT_EXCEEDED');
  t.is(await ask(1), 201);
});

test('template_defaults: an instance that they make fit is taken before one that cannot honour the template', async (t) => {
  const own = await specBroker({
    configuration: { providers: [provider('bare'), west()] },
    templates: [{ template_id: 'open' }],
  });
  t.teardown(() => own.close());
  const { body } = await own.call('POST', '/requests/', { template_id: 'open', count: 1 });
  t.is(body.provider_selection.provider_instance, 'west');
});

/** A template that two instances have in files of their own, each with a bound of its own. */
async function variants(bounds: { readonly east: number; readonly west: number }): Promise<BootedBroker> {
  const own = await specBroker({ configuration: { providers: [east({}), west()] }, templates: [] });
  for (const [name, max_instances] of Object.entries(bounds))
    await writeFile(
      `${own.place.directory}/${name}_templates.json`,
      JSON.stringify([{ template_id: 'shared', max_instances }]),
    );
  await own.call('POST', '/templates/refresh');
  return own;
}

test('variants: the bound of the instance that would serve counts, not that of the one which is shown', async (t) => {
  const own = await variants({ east: 2, west: 5 });
  t.teardown(() => own.close());
  const ask = async (count: number, provider_instance?: string) => {
    const preference = provider_instance === undefined ? {} : { provider_preference: { provider_instance } };
    const { body } = await own.call('POST', '/requests/', { template_id: 'shared', count, ...preference });
    return body.error?.code ?? body.provider_selection.provider_instance;
  };
  t.is(await ask(3, 'east'), 'INSTANCE_LIMIT_EXCEEDED');
  t.is(await ask(6), 'INSTANCE_LIMIT_EXCEEDED');
  t.is(await ask(1), 'east');
  t.is(await ask(3), 'west');
  t.is(await ask(1), 'west', 'four are held: no more than east allows');
  t.is(await ask(1), 'INSTANCE_LIMIT_EXCEEDED');
});

test('variants: where the one that is shown has the larger bound, the other keeps to its own', async (t) => {
  const own = await variants({ east: 5, west: 2 });
  t.teardown(() => own.close());
  const { body } = await own.call('POST', '/requests/', {
    template_id: 'shared',
    count: 3,
    provider_preference: { provider_instance: 'west' },
  });
  t.is(body.error.code, 'INSTANCE_LIMIT_EXCEEDED');
});
