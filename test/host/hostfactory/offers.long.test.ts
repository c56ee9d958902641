import test from 'ava';
import { ask, boot, ended, file, request, templates } from './in-process.ts';

test('the words of the scripts do not depend on the scheduler that is configured', async (t) => {
  for (const scheduler of ['default', 'hostfactory'] as const) {
    const broker = await boot(t, { scheduler, loop: 'none' });
    const { answer } = await ask(broker, 'getAvailableTemplates', {});
    t.deepEqual(
      answer.templates.map((each: any) => each.templateId),
      ['one', 'weighted'],
    );
  }
});

test('templates are offered while the cloud is down, with the attributes of their machine types', async (t) => {
  const broker = await boot(t);
  await broker.simulator.close();
  const { code, answer } = await ask(broker, 'getAvailableTemplates', {});
  t.is(code, 0);
  t.deepEqual(answer.templates[0].attributes, {
    type: ['String', 'X86_64'],
    ncpus: ['Numeric', '1'],
    ncores: ['Numeric', '1'],
    nram: ['Numeric', '2048'],
  });
});

const written = {
  templateId: 'written',
  maxNumber: '20',
  vmTypes: { 't3.small': 3 },
  imageId: 'ami-1',
  subnetId: ['subnet-1', 'subnet-2'],
  securityGroupIds: 'sg-1, sg-2',
  instanceTags: { team: 'blue' },
  userData: 'JOB=7',
  keyName: null,
  pgrpName: null,
  onDemandCapacity: 0,
  placementGroupName: 'p',
  somethingElse: { deep: [1] },
};

test('every key of the file is offered unchanged, beside the fields that were read from it', async (t) => {
  const broker = await boot(t, { templates: [written], loop: 'none' });
  const offered = async () => (await ask(broker, 'getAvailableTemplates', {})).answer.templates[0];
  const found = await offered();
  const { maxNumber: _, ...rest } = written;
  t.like(found, rest);
  t.deepEqual([found.maxNumber, found.vmType, found.providerApi], [20, 't3.small', 'RunInstances']);
  for (const key of Object.keys(written)) t.true(key in found, key);
});

test('a changed template is offered with its present values, not with those of the file', async (t) => {
  const broker = await boot(t, { templates: [written], loop: 'none' });
  const { status } = await broker.call('PUT', '/templates/written', {
    subnet_ids: ['subnet-9'],
    machine_type: 't3.large',
    key_name: 'ops',
    somethingElse: 1,
  });
  t.is(status, 200);
  const found = (await ask(broker, 'getAvailableTemplates', {})).answer.templates[0];
  t.like(found, {
    subnetId: 'subnet-9',
    vmType: 't3.large',
    keyName: 'ops',
    somethingElse: 1,
    securityGroupIds: 'sg-1, sg-2',
  });
  t.false('vmTypes' in found);
});

const twoPlaces = { capacity: [{ instance_type: 't3.small', zone: '*', market: '*', count: 2 }] } as any;

test('how many can be had falls with what lives, and is none while nothing is asked for want of capacity', async (t) => {
  const broker = await boot(t, { knobs: twoPlaces, settings: { offer_probe_ms: 120_000 } });
  const availableOf = async () => (await ask(broker, 'getAvailableTemplates', {})).answer.templates[0].availableNumber;
  t.is(await availableOf(), 20);
  t.is((await ended(broker, await request(broker, 2))).status, 'complete');
  t.is(await availableOf(), 18);
  const short = await ended(broker, await request(broker, 1));
  t.is(short.status, 'complete_with_error');
  t.deepEqual(short.machines, []);
  t.regex(short.message, /Error Code: InsufficientInstanceCapacity$/);
  t.is(await availableOf(), 0);
});

test('a lack of capacity that may be probed again does not reduce the number of offered machines', async (t) => {
  const broker = await boot(t, { knobs: twoPlaces, settings: { offer_probe_ms: 0 } });
  t.is((await ended(broker, await request(broker, 2))).status, 'complete');
  t.is((await ended(broker, await request(broker, 1))).status, 'complete_with_error');
  t.is((await ask(broker, 'getAvailableTemplates', {})).answer.templates[0].availableNumber, 18);
});

test('a provider whose name is an instance is bound to it; any other name is not', async (t) => {
  const { url } = (await boot(t)).simulator;
  const config = { endpoint_url: url, access_key_id: 'AKIATEST', secret_access_key: 'test' };
  const providers = ['east', 'west'].map((name, priority) => ({ name, type: 'cloud', priority, config }));
  const broker = await boot(t, {
    templates: [
      ...templates,
      { templateId: 'eastern', maxNumber: 5, vmType: 't3.small', providerName: 'east', ...file },
    ],
    configuration: { providers },
  });
  const ids = async (provider_name: string) =>
    (await ask(broker, 'getAvailableTemplates', {}, { provider_name })).answer.templates.map(
      (each: any) => each.templateId,
    );
  t.deepEqual(await ids('west'), ['one', 'weighted']);
  t.deepEqual(await ids('east'), ['eastern', 'one', 'weighted']);
  t.deepEqual(await ids('awsinst'), ['eastern', 'one', 'weighted']);
  const instanceOf = async (provider_name: string) => {
    const { answer } = await ask(
      broker,
      'requestMachines',
      { template: { templateId: 'one', machineCount: 1 } },
      { provider_name },
    );
    return (await broker.broker.store.get('request', { request_id: answer.requestId }))?.provider_instance;
  };
  t.is(await instanceOf('west'), 'west');
  t.is(await instanceOf('awsinst'), 'east');
});

test('getAvailableMachines is not supported and says so', async (t) => {
  const broker = await boot(t, { loop: 'none' });
  const { code, answer } = await ask(broker, 'getAvailableMachines', {});
  t.is(code, 0);
  t.deepEqual(answer, { message: 'getAvailableMachines is not supported.', machines: [] });
});
