import assert from 'node:assert/strict';
import { sentences, systemClock } from '../../../core/index.ts';
import type { ProviderChecks } from '../check-list.ts';
import { configSchema, parseConfig } from '../harness/read-input.ts';
import { formatValue } from '../answers/format.ts';
import { fieldsOf, typesOf, variantsOf, type SchemaField } from '../harness/schema-fields.ts';
import type { ProviderHarness } from '../harness/provider-harness.ts';

const secret = /passw(or)?d|passphrase|secret|token|credential|(api|private|access|auth)_?key/i;
/** Names of fields that refer to a secret but hold none. */
const about = /_(file|path|script|url|uri|name|id|type|ms|seconds|timeout|ttl)$/i;

/** Checks of the fields of the configuration and of templates: descriptions, sensitivity, defaults and bounds. */
export function configurationChecks({ list, subject, on }: ProviderChecks): void {
  const { type, api } = subject;
  const fields = () => fieldsOf(type.config);

  list.check('every field of its configuration has a description', async () => undescribed(fields(), 'config'));

  list.check('every template field that it adds has a description', async () => {
    undescribed([...fieldsOf(type.fields), ...fieldsOf(api.fields)], 'template');
  });

  list.check('fields of its configuration whose names indicate a secret are marked sensitive', async () => {
    const open = fields().filter(({ path, schema }) => {
      const name = path.at(-1) ?? '';
      const isText = typesOf(schema).includes('string');
      return isText && soundsSecret(name) && !schema['path'] && !schema['must_exist'] && !isHidden(path, fields());
    });
    assert.ok(
      open.length === 0,
      `${open.map(({ name }) => `config.${name}`).join(', ')}: declare fields that hold secrets with \`sensitive: true\`, or logs and answers show them.`,
    );
  });

  on('a configuration with only the required fields gets its defaults, and connects', async (harness) => {
    const needed = requiredOnly(harness);
    const { value, findings } = parseConfig(subject, needed);
    assert.ok(
      value,
      `Every default must fit its own field, and only fields without a default be required: ${sentences(findings)}`,
    );
    for (const { name, path, schema } of fields()) {
      if (path.length > 1 || !('default' in schema)) continue;
      assert.notEqual(
        value[name],
        undefined,
        `config.${name} has the default ${formatValue(schema['default'])} and must get it.`,
      );
    }
    await connects(harness, value, 'with only the required fields');
  });

  on(
    'both bounds of each range of its configuration are accepted, and values beyond them are findings',
    async (harness) => {
      for (const field of fields().filter(({ path }) => !insideList(path, type.config))) {
        for (const { value, good, bound } of endsOf(field)) {
          const { value: read, findings } = parseConfig(subject, withField(harness.world.config, field.path, value));
          const at = `config.${field.name}: ${formatValue(value)}`;
          if (good) {
            assert.ok(read, `${at} is within ${bound} and must be accepted: ${sentences(findings)}`);
            await connects(harness, read, at);
          } else assert.ok(findings.length > 0, `${at} is beyond ${bound} and must be a finding.`);
        }
      }
    },
  );
}

const soundsSecret = (name: string): boolean => secret.test(name) && !about.test(name);

const isHidden = (path: readonly string[], fields: readonly SchemaField[]): boolean =>
  path.some((_, index) => {
    const field = fields.find(({ name }) => name === path.slice(0, index + 1).join('.'));
    return (
      field !== undefined && [field.schema, ...variantsOf(field.schema)].some((schema) => schema['sensitive'] === true)
    );
  });

function undescribed(fields: readonly SchemaField[], what: string): void {
  const without = fields.filter(
    ({ schema }) => typeof schema['description'] !== 'string' || schema['description'].trim() === '',
  );
  assert.ok(
    without.length === 0,
    `Each field must state its purpose in \`description\`, from which help and documentation are generated. Without one: ${without.map(({ name }) => `${what}.${name}`).join(', ')}.`,
  );
}

/** The required fields of the world's configuration. */
function requiredOnly({ subject, world }: ProviderHarness): Record<string, unknown> {
  const required = (configSchema(subject) as { readonly required?: readonly string[] }).required ?? [];
  return Object.fromEntries(Object.entries(world.config).filter(([name]) => required.includes(name)));
}

async function connects(
  harness: ProviderHarness,
  config: Readonly<Record<string, unknown>>,
  how: string,
): Promise<void> {
  const { type } = harness.subject;
  const context = {
    instance: 'kit',
    endpoint: async (url: string) => url,
    clock: harness.world.clock ?? systemClock,
    log: harness.call().log,
    installation: 'kit',
  };
  try {
    const session = await type.connect(config as never, context);
    await type.close?.(session);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    assert.fail(`connect must accept every configuration that the schema accepts (${how}), but threw: ${message}`);
  }
}

interface End {
  readonly value: unknown;
  readonly good: boolean;
  readonly bound: string;
}

/** Values at the bounds of a field, and the next values beyond them. */
function endsOf({ schema }: SchemaField): End[] {
  return variantsOf(schema).flatMap((variant): End[] => {
    if (variant['pattern'] !== undefined || variant['enum'] !== undefined) return [];
    const step = variant['multipleOf'] ?? (variant['type'] === 'integer' ? 1 : 0.001);
    const bounds = Object.entries(variant).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
    return bounds.flatMap(([name, bound]): End[] => {
      const say = `${name}: ${bound}`;
      if (name === 'minimum')
        return [
          { value: bound, good: true, bound: say },
          { value: bound - step, good: false, bound: say },
        ];
      if (name === 'maximum')
        return [
          { value: bound, good: true, bound: say },
          { value: bound + step, good: false, bound: say },
        ];
      if (name === 'exclusiveMinimum' || name === 'exclusiveMaximum')
        return [{ value: bound, good: false, bound: say }];
      if (name === 'minLength' && bound > 0) return [{ value: 'x'.repeat(bound - 1), good: false, bound: say }];
      if (name === 'maxLength') return [{ value: 'x'.repeat(bound + 1), good: false, bound: say }];
      return [];
    });
  });
}

function withField(
  config: Readonly<Record<string, unknown>>,
  path: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const [name = '', ...rest] = path;
  const inner = (config[name] ?? {}) as Readonly<Record<string, unknown>>;
  return { ...config, [name]: rest.length === 0 ? value : withField(inner, rest, value) };
}

/** Whether a field belongs to a list item or to one of several variants, and so cannot be set alone. */
function insideList(path: readonly string[], schema: unknown): boolean {
  let at = schema as Readonly<Record<string, any>> | undefined;
  for (const name of path) {
    at = at?.['properties']?.[name];
    if (at === undefined) return true;
  }
  return false;
}
