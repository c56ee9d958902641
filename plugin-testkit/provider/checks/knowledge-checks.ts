import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { AccountContents, CheckResult, compile, sentences, type Finding, type Places } from '../../../core/index.ts';
import type { ProviderChecks } from '../check-list.ts';
import { notJson } from '../answers/not-json.ts';
import { delivered } from '../answers/outcome.ts';
import { formatValue } from '../answers/format.ts';

/**
 * Checks of a provider's places and machine types, and of what follows from a template without a call to the
 * provider.
 */
export function knowledgeChecks({ on, subject }: ProviderChecks): void {
  const { type, api } = subject;

  if (api.offers)
    on('offers depend only on the template, each with a unique key', async (harness) => {
      const offers = pure('offers', (template) => api.offers?.(template), harness.template) ?? [];
      assert.ok(
        Array.isArray(offers) && offers.length > 0,
        `The template of the world must allow at least one offer; offers gave ${formatValue(offers)}.`,
      );
      const keys = offers.map(({ key }) => key);
      assert.ok(
        keys.every((key) => typeof key === 'string' && key !== ''),
        `Each offer has a key; seen: ${formatValue(offers)}.`,
      );
      assert.equal(new Set(keys).size, keys.length, `No two offers have one key; seen: ${keys.join(', ')}.`);
      assert.equal(notJson(offers, 'offers'), undefined, 'Offers are stored as JSON.');
    });

  if (api.offersOfMachine)
    on('the pool of a machine is among the offers of its order', async (harness) => {
      const attempt = await harness.start();
      await harness.up(attempt);
      const { offers = [] } = attempt.order;
      const known = new Set(offers.map(({ key }) => key));
      for (const machine of harness.refs(attempt)) {
        const found = pure('offersOfMachine', (given) => api.offersOfMachine?.(given, offers), machine) ?? [];
        assert.ok(
          Array.isArray(found) && found.length > 0 && found.every(({ key }) => known.has(key)),
          `offersOfMachine gives at least one of the offers of the order; it gave ${formatValue(found)}.`,
        );
      }
    });

  if (api.review)
    on('a review depends only on the template, and finds no error in the template of the world', async (harness) => {
      const findings: readonly Finding[] =
        pure('review', (template) => api.review?.(template), harness.template) ?? [];
      assert.ok(Array.isArray(findings), `review gives a list of findings, and gave ${formatValue(findings)}.`);
      for (const each of findings) {
        assert.ok(
          each.level === 'error' || each.level === 'warning',
          `A finding is an error or a warning; seen: ${formatValue(each)}.`,
        );
        assert.ok(
          typeof each.path === 'string' && (each.path === '' || each.path.startsWith('/')),
          `The path of a finding is a JSON pointer (/subnet_ids/0) or empty; seen: ${formatValue(each)}.`,
        );
        assert.ok(
          typeof each.message === 'string' && each.message !== '',
          `A finding says what is wrong; seen: ${formatValue(each)}.`,
        );
      }
      const errors = findings.filter(({ level }) => level === 'error');
      assert.deepEqual(
        errors,
        [],
        `The template of the world can be launched, so review finds no error in it; found: ${formatValue(errors)}.`,
      );
    });

  on('the APIs that an instance serves depend only on its configuration', async (harness) => {
    const served = pure('serves', (config) => type.serves?.(config as never, api.name), harness.config);
    if (!type.serves) return;
    assert.equal(
      served,
      true,
      `With the config of the world, serves('${api.name}') must be true; it is ${formatValue(served)}.`,
    );
  });

  if (type.places)
    on('its places are regions and zones', async (harness) => {
      const session = await harness.session();
      arePlaces('places', await delivered('places', () => type.places?.(session, harness.call())));
    });

  if (type.presumedPlaces)
    on('the places that it presumes depend only on the configuration', async (harness) => {
      arePlaces(
        'presumedPlaces',
        pure('presumedPlaces', (config) => type.presumedPlaces?.(config as never), harness.config),
      );
    });

  if (type.discover)
    on('discover shows what templates can name in the account', async (harness) => {
      const session = await harness.session();
      const contents = await delivered('discover', async () => type.discover?.(session, harness.call()));
      const { value, findings } = compile(AccountContents).parse(contents);
      assert.ok(value, `The answer of discover has the form of AccountContents: ${sentences(findings ?? [])}`);
      assert.equal(notJson(contents, 'discover'), undefined, 'The contents go to another thread as JSON.');
      const networks = new Set(value.networks.map(({ id }) => id));
      const isWhole = !value.incomplete.some(({ list }) => list === 'networks');
      const strays = value.subnets.filter(({ network_id }) => isWhole && !networks.has(network_id));
      assert.deepEqual(strays, [], `Each subnet belongs to a listed network; not so: ${formatValue(strays)}.`);
      for (const list of [value.networks, value.subnets, value.security_groups])
        assert.equal(new Set(list.map(({ id }) => id)).size, list.length, 'Nothing is listed twice.');
    });

  if (type.setup)
    on('the templates that setup proposes have ids and descriptions, and their APIs accept them', async () => {
      const choice = {
        subnet_ids: ['subnet-1', 'subnet-2'],
        security_group_ids: ['sg-1'],
        key_name: 'key',
        image: { image_id: 'image-1', description: 'an image', arch: null },
      };
      const templates = pure('setup.templates', (given) => type.setup?.templates(given), choice) ?? [];
      assert.ok(templates.length > 0, 'setup proposes at least one template.');
      const ids = templates.map(({ template_id }) => template_id);
      assert.equal(new Set(ids).size, ids.length, `No two templates have one id; seen: ${ids.join(', ')}.`);
      for (const each of templates) {
        assert.ok(each.template_id && each.description, `A template says what it is for; seen: ${formatValue(each)}.`);
        if (each['provider_api'] !== api.name) continue;
        const errors = (api.review?.(each as never) ?? []).filter(({ level }) => level === 'error');
        assert.deepEqual(errors, [], `${api.name} accepts '${each.template_id}'; found: ${formatValue(errors)}.`);
      }
      const fields = Object.keys(type.config.properties);
      const asked = [...(type.setup?.asks ?? []), type.setup?.endpoint ?? []].flat();
      assert.deepEqual(
        asked.filter((name) => !fields.includes(name)),
        [],
        'setup asks for fields of the configuration.',
      );
    });

  if (type.checks)
    on('its checks find no error in the world, twice, and start no machine', async (harness) => {
      const session = await harness.session();
      const names = (type.checks ?? []).map(({ name }) => name);
      assert.equal(new Set(names).size, names.length, `No two checks have one name; seen: ${names.join(', ')}.`);
      const templates = [{ template: harness.template as never, api }];
      for (const { name, why, remedy, run } of [...(type.checks ?? []), ...(type.checks ?? [])]) {
        assert.ok(/^[a-z][a-z0-9-]*$/.test(name), `The name of a check is in kebab case; seen: ${formatValue(name)}.`);
        assert.ok(why && remedy, `The check '${name}' says why it matters and what to do.`);
        const results = await delivered(name, () => run(session, templates, harness.call()));
        for (const each of results) {
          const { findings } = compile(CheckResult).parse(each);
          assert.equal(findings, undefined, `A result has the form of CheckResult: ${sentences(findings ?? [])}`);
          assert.notEqual(each.level, 'error', `The world lacks nothing; '${name}' found: ${formatValue(each)}.`);
        }
      }
      await harness.livingAfter(0);
    });

  if (type.machineTypes)
    on('its machine types are complete, and each is listed once', async (harness) => {
      const session = await harness.session();
      const names = new Set<string>();
      for await (const each of type.machineTypes?.(session, harness.call()) ?? []) {
        const whole = [each.vcpus, each.cores, each.memory_mib].every(
          (number) => Number.isFinite(number) && number > 0,
        );
        assert.ok(
          typeof each.name === 'string' &&
            each.name !== '' &&
            typeof each.arch === 'string' &&
            each.arch !== '' &&
            whole,
          `A machine type has name, vcpus, cores, memory_mib and arch; seen: ${formatValue(each)}.`,
        );
        assert.ok(!names.has(each.name), `The machine type ${each.name} is listed twice.`);
        names.add(each.name);
      }
      assert.ok(names.size > 0, 'A provider that lists machine types has one.');
    });

  if (type.machineTypeOf)
    on('the machine type of a template is known without a call to the provider', async (harness) => {
      const seen = pure(
        'machineTypeOf',
        (template) => type.machineTypeOf?.(template, () => undefined),
        harness.template,
      );
      assert.ok(
        seen === undefined || typeof seen.name === 'string',
        `machineTypeOf gives a machine type or undefined, and gave ${formatValue(seen)}.`,
      );
    });
}

/** The result of a pure function; fails if two calls differ, if it returns a promise, or if it changes its argument. */
function pure<A extends object, T>(name: string, act: (given: A) => T, given: A): T {
  const copy = JSON.parse(JSON.stringify(given)) as A;
  const [first, second] = [act(deepFrozen(copy)), act(JSON.parse(JSON.stringify(given)) as A)];
  assert.ok(
    !(first instanceof Promise),
    `${name} must not call the provider: it must return its answer, not a promise.`,
  );
  assert.ok(
    isDeepStrictEqual(first, second),
    `${name} must be pure: two calls returned ${formatValue(first)} and ${formatValue(second)}.`,
  );
  return first;
}

function deepFrozen<T extends object>(value: T): T {
  for (const each of Object.values(value)) if (typeof each === 'object' && each !== null) deepFrozen(each as object);
  return Object.freeze(value);
}

function arePlaces(name: string, places: Places | undefined): void {
  const isList = (list: unknown) =>
    Array.isArray(list) &&
    list.every((each) => typeof each === 'string' && each !== '') &&
    new Set(list).size === list.length;
  assert.ok(
    isList(places?.regions) && isList(places?.availability_zones),
    `${name} gives {regions, availability_zones}, lists of different names; it gave ${formatValue(places)}.`,
  );
}
