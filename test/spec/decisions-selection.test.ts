import test from 'ava';
import { testTemplates, type BootedBroker } from '../support/boot-broker.ts';
import { provider, specBroker } from './spec-broker.ts';

let broker: BootedBroker;
test.before(async () => {
  broker = await specBroker({ configuration: { providers: [provider('east'), provider('west', { priority: 2 })] } });
});
test.after.always(() => broker.close());

test('selection: a lower priority number is preferred, and weight 0 is never an alternative', async (t) => {
  const chosen = async (...providers: object[]) => {
    const own = await specBroker({ configuration: { providers } });
    const { body } = await own.call('POST', '/providers/select', { template_id: 'small' });
    await own.close();
    return [body.provider_instance, ...body.alternatives];
  };
  t.deepEqual(await chosen(provider('a', { priority: 2 }), provider('b', { priority: 1 })), ['b', 'a']);
  t.deepEqual(
    await chosen(provider('a', { weight: 0 }), provider('b', { priority: 9 })),
    ['b'],
    'weight 0 is never an alternative',
  );
});

for (const [strategy, template_id] of [
  ['default', 'plain'],
  ['api_based', 'small'],
] as const) {
  test(`selection: 3 to 1 at equal priority is 3 to 1 for requests, by the ${strategy} strategy`, async (t) => {
    const own = await specBroker({
      templates: [
        ...testTemplates,
        { template_id: 'plain', image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'] },
      ],
      configuration: {
        providers: [
          provider('heavy', { weight: 3 }),
          provider('light', { weight: 1 }),
          provider('spare', { priority: 2, weight: 100 }),
        ],
      },
    });
    t.teardown(() => own.close());
    let heavy = 0;
    for (let i = 0; i < 400; i++) {
      const { body } = await own.call('POST', '/providers/select', { template_id, request_id: `key-${i}` });
      const { provider_instance, selection_strategy, selection_reason, alternatives } = body;
      t.is(selection_strategy, strategy);
      t.is(alternatives[1], 'spare');
      t.regex(selection_reason, /^priority 1, shared by weight \([31] of 4\), among /);
      if (provider_instance === 'heavy') heavy += 1;
    }
    t.true(heavy > 260 && heavy < 340, `${heavy} of 400`);
    const request = await own.call('POST', '/requests/', { template_id, count: 1 });
    const { provider_instance, alternatives } = request.body.provider_selection;
    t.deepEqual([provider_instance, ...alternatives].toSorted(), ['heavy', 'light', 'spare']);
  });
}

test('selection: weight 0 is chosen only when it is named', async (t) => {
  const own = await specBroker({ configuration: { providers: [provider('zero', { weight: 0 }), provider('one')] } });
  t.teardown(() => own.close());
  const pick = async (more: object) =>
    (await own.call('POST', '/providers/select', { template_id: 'small', ...more })).body.provider_instance;
  t.is(await pick({ selection_strategy: 'load_balanced', provider_type: 'cloud' }), 'one');
  t.is(await pick({ provider_instance: 'zero' }), 'zero');
});

test('selection: what a template names is followed, and a preference beats it', async (t) => {
  await broker.call('POST', '/templates/', {
    template_id: 'bound',
    image_id: 'ami-1',
    machine_type: 't3.small',
    subnet_ids: ['subnet-1'],
    provider_name: 'west',
  });
  const ask = async (preference?: object) =>
    (
      await broker.call('POST', '/requests/', {
        template_id: 'bound',
        count: 1,
        ...(preference ? { provider_preference: preference } : {}),
      })
    ).body.provider_selection.provider_instance;
  t.is(await ask(), 'west');
  t.is(await ask({ type: 'explicit', provider_instance: 'east' }), 'east');
  t.is(await ask({ type: 'default' }), 'east');
  t.is(await ask({ type: 'explicit' }), 'west', "explicit without an instance takes the template's");
});

test('selection: a test hashes a fresh key unless it is given one, which always chooses the same', async (t) => {
  const own = await specBroker({ configuration: { providers: [provider('a'), provider('b')] } });
  t.teardown(() => own.close());
  const pick = async (request_id?: string) =>
    (
      await own.call('POST', '/providers/select', {
        template_id: 'small',
        selection_strategy: 'load_balanced',
        ...(request_id ? { request_id } : {}),
      })
    ).body.provider_instance;
  const same = await Promise.all(Array.from({ length: 20 }, () => pick('req-7')));
  t.is(new Set(same).size, 1);
  const fresh = await Promise.all(Array.from({ length: 60 }, () => pick()));
  t.is(new Set(fresh).size, 2);
});

test('selection: load balancing ignores priority and follows the weights', async (t) => {
  const own = await specBroker({
    configuration: { providers: [provider('heavy', { weight: 3, priority: 9 }), provider('light', { weight: 1 })] },
  });
  t.teardown(() => own.close());
  let heavy = 0;
  for (let i = 0; i < 400; i++) {
    const { body } = await own.call('POST', '/providers/select', {
      template_id: 'small',
      selection_strategy: 'load_balanced',
      request_id: `key-${i}`,
    });
    if (body.provider_instance === 'heavy') heavy += 1;
  }
  t.true(heavy > 260 && heavy < 340, `${heavy} of 400`);
});

test('validate: a disabled instance can be validated against, with a warning; several without a list are all', async (t) => {
  const own = await specBroker({
    configuration: { providers: [provider('on'), provider('off', { enabled: false })] },
  });
  t.teardown(() => own.close());
  const { body } = await own.call('POST', '/templates/small/validate', { provider_instance: 'off' });
  t.true(body.valid);
  t.regex(body.warnings[0], /disabled/);
  t.deepEqual(Object.keys((await own.call('POST', '/templates/small/validate-multi', {})).body.validation_results), [
    'on',
    'off',
  ]);
});
