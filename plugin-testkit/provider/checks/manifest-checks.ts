import assert from 'node:assert/strict';
import { camelCase, commonTemplateFields, isPlugin } from '../../../core/index.ts';
import type { ProviderChecks } from '../check-list.ts';
import { fieldsOf, type SchemaField } from '../harness/schema-fields.ts';
import { formatValue } from '../answers/format.ts';
import type { Subject } from '../subject.ts';

/** Checks of the definition of a plugin. */
export function manifestChecks({ list, subject }: ProviderChecks): void {
  const { plugins, types, apis, api, type } = subject;

  list.check('each plugin is made by definePlugin, has a name, and is written for contract 1', async () => {
    for (const plugin of plugins) {
      assert.ok(
        isPlugin(plugin),
        `The plugin ${formatValue(plugin?.name)} must be what definePlugin gave; export it as default.`,
      );
      assert.ok(typeof plugin.name === 'string' && plugin.name !== '', 'A plugin must have a name.');
      assert.equal(
        plugin.contract,
        1,
        `The plugin '${plugin.name}' must say contract: 1; it says ${formatValue(plugin.contract)}.`,
      );
      const missing = (plugin.requires ?? []).filter((name) => !plugins.some((each) => each.name === name));
      assert.deepEqual(
        missing,
        [],
        `The plugin '${plugin.name}' requires ${missing.join(', ')}: give the kit those plugins too, or do not require them.`,
      );
    }
  });

  list.check('each API belongs to a provider type of the plugins, and has launch, observe and release', async () => {
    for (const each of apis) {
      const known = types.map((one) => one.type);
      assert.ok(
        known.includes(each.type),
        `The API '${each.name}' belongs to '${each.type}'; the plugins bring the types ${known.join(', ')}.`,
      );
      for (const verb of ['launch', 'observe', 'release'] as const)
        assert.equal(typeof each[verb], 'function', `The API '${each.name}' must have ${verb}.`);
    }
    assert.equal(typeof type.connect, 'function', `The provider type '${type.type}' must have connect.`);
  });

  list.check('names and aliases are unique', async () => {
    apart(
      types.flatMap((each) =>
        [each.type, ...(each.aliases ?? [])].map((name) => [name, `provider type '${each.type}'`]),
      ),
      'provider types',
    );
    // A template may name a provider type instead of an API; the instance's preferred API then applies.
    const typeNames = types.flatMap((each) =>
      [each.type, ...(each.aliases ?? [])].map((name): Named => [name, `provider type '${each.type}'`]),
    );
    const own = apis.filter((each) => each.type === type.type);
    apart(
      [
        ...typeNames,
        ...own.flatMap((each) =>
          [each.name, ...(each.aliases ?? [])].map((name): Named => [name, `API '${each.name}'`]),
        ),
      ],
      'names in provider_api',
    );
    apart(spellings(fieldsOf(type.config).filter(({ path }) => path.length === 1)), 'spellings of config fields');
    const fields = new Map(
      [...fieldsOf({ properties: commonTemplateFields }), ...fieldsOf(type.fields), ...fieldsOf(api.fields)].map(
        (field) => [field.name, field],
      ),
    );
    apart(spellings([...fields.values()].filter(({ path }) => path.length === 1)), 'spellings of template fields');
    const unknownNames = (type.prefers ?? []).filter(
      (name) => !apis.some((each) => each.name === name) && !otherApis(subject).has(name),
    );
    assert.deepEqual(
      unknownNames,
      [],
      `The provider type '${type.type}' prefers ${unknownNames.join(', ')}, which cannot be the name of an API.`,
    );
  });

  list.check('its capabilities are complete and consistent', async () => {
    const can = api.capabilities as unknown as Readonly<Record<string, unknown>> | undefined;
    assert.ok(typeof can === 'object' && can !== null, `The API '${api.name}' must have capabilities.`);
    const say = (name: string, wants: string) =>
      `capabilities.${name} must be ${wants}, and is ${formatValue(can[name])}.`;
    for (const name of ['supports_spot', 'supports_on_demand'])
      assert.equal(typeof can[name], 'boolean', say(name, 'true or false'));
    assert.ok(
      can['supports_spot'] || can['supports_on_demand'],
      'capabilities: an API must support Spot machines or on-demand ones; plain machines are on-demand ones.',
    );
    for (const name of ['max_instances', 'machines_per_launch'])
      assert.ok(Number.isInteger(can[name]) && Number(can[name]) >= 1, say(name, 'a whole number from 1'));
    for (const name of ['visible_within_ms', 'token_valid_ms'])
      assert.ok(
        typeof can[name] === 'number' && Number.isFinite(can[name]) && Number(can[name]) >= 0,
        say(name, 'a number of milliseconds from 0'),
      );
    const late = can['late_release_ms'];
    assert.ok(
      late === undefined || (typeof late === 'number' && Number.isFinite(late) && late >= 0),
      say('late_release_ms', 'absent or a number of milliseconds from 0'),
    );
    assert.ok(
      can['offers_per_launch'] === 'one' || can['offers_per_launch'] === 'many',
      say('offers_per_launch', "'one' or 'many'"),
    );
    const fleets = can['supported_fleet_types'];
    assert.ok(
      Array.isArray(fleets) && fleets.every((each) => typeof each === 'string'),
      say('supported_fleet_types', 'a list of texts, empty where there are no fleets'),
    );
  });
}

type Named = readonly [name: string, owner: string];

/** APIs of the same type may come from plugins that are not under test, so every text is accepted. */
const otherApis = ({ type }: Subject): ReadonlySet<string> =>
  new Set((type.prefers ?? []).filter((name) => typeof name === 'string' && name !== ''));

function apart(named: readonly (readonly string[])[], where: string): void {
  const owners = new Map<string, string>();
  for (const [name = '', owner = ''] of named) {
    const other = owners.get(name);
    assert.ok(other === undefined, `Among the ${where}, '${name}' is ${owner} and ${other} at once. Rename one.`);
    owners.set(name, owner);
  }
}

/** All spellings of each field, each with its field. */
const spellings = (fields: readonly SchemaField[]): Named[] =>
  fields.flatMap(({ name, schema }) => {
    const aliases = (schema['aliases'] ?? []) as readonly string[];
    return [...new Set([name, ...aliases, ...[name, ...aliases].map(camelCase)])].map(
      (spelling): Named => [spelling, `field '${name}'`],
    );
  });
