import test from 'ava';
import type { TSchema } from 'typebox';
import { declarationProblem } from '../../config/plugins/declaration-problem.ts';
import { builtInPlugins } from '../../scripts/pages/configuration.ts';
import { compile } from '../../core/schema/compile.ts';
import { definePlugin, Type, type Capabilities } from '../../core/index.ts';
import { ScriptedCloud, scriptedApi } from '../support/scripted-cloud.ts';

const pluginWith = (capabilities: Partial<Capabilities>) =>
  definePlugin({
    name: 'acme',
    contract: 1,
    providerApis: [scriptedApi(new ScriptedCloud(capabilities).capabilities)],
  });

test('a provider API by whose capabilities nothing could be ordered is refused with a sentence', (t) => {
  t.is(declarationProblem(pluginWith({})), undefined);
  for (const machines_per_launch of [0, -1, 0.5, Number.NaN])
    t.regex(
      declarationProblem(pluginWith({ machines_per_launch })) ?? '',
      /'Scripted' whose machines_per_launch is .* at least 1/,
    );
  t.regex(
    declarationProblem(pluginWith({ token_valid_ms: Number.POSITIVE_INFINITY })) ?? '',
    /token_valid_ms is Infinity/,
  );
  t.regex(declarationProblem(pluginWith({ offers_per_launch: 'all' as never })) ?? '', /offers_per_launch is 'all'/);
});

test('nothing is wrong with what the built-in plugins declare', async (t) => {
  const plugins = await builtInPlugins();
  t.true(plugins.length > 10);
  for (const plugin of plugins) t.is(declarationProblem(plugin), undefined, plugin.name);
});

test('what a plugin declares and nothing could work with is refused with a sentence', (t) => {
  const problem = (lists: object) => declarationProblem({ name: 'acme', contract: 1, ...lists } as never);
  const options = Type.Object({});
  const check = { name: 'disk', why: 'w', remedy: 'r', run: async () => [] };
  const wrong: readonly (readonly [lists: object, sentence: RegExp])[] = [
    [{ storages: [{ type: 's', options: undefined }] }, /storage 's' whose 'options' is no schema of an object/],
    [{ storages: [{ type: 's', options: Type.Any() }] }, /storage 's' whose 'options' is no schema of an object/],
    [{ providers: [{ type: 'p', config: 'text' }] }, /provider type 'p' whose 'config' is no schema of an object/],
    [{ eventSinkTypes: [{ type: 'e', options: [] }] }, /^has an event sink type 'e' whose 'options' is no schema/],
    [{ providerApis: [{ name: 'A', fields: Type.String() }] }, /provider API 'A' whose 'fields' is no schema/],
    [
      { providers: [{ type: 'p', config: Type.Object({ zone: Type.String({ pattern: '[' }) }) }] },
      /'p' whose 'config' has a pattern at properties\.zone that does not compile: .*Unterminated.*\. Correct the schema/,
    ],
    [
      {
        storages: [
          { type: 's', options: Type.Object({ of: Type.Record(Type.String({ pattern: '(' }), Type.Any()) }) },
        ],
      },
      /'s' whose 'options' has a pattern at properties\.of that does not compile/,
    ],
    [
      { providers: [{ type: 'p', config: cyclic() }] },
      /'p' whose 'config' contains itself at properties\.child\. Cor/,
    ],
    [{ providers: [{ type: 'p', config: nested(5_000) }] }, /'p' whose 'config' is deeper than 128 levels\. Correct/],
    [{ providers: [{ type: 'p', config: shared(20) }] }, /'p' whose 'config' has more than 10000 parts\. Correct/],
    [
      { providers: [{ type: 'p', config: { type: 'object', properties: { a: null } } }] },
      /has no schema at properties\.a\. Correct/,
    ],
    [
      { providers: [{ type: 'p', config: Type.Object({ a: Type.Any({ default: cyclic() }) }) }] },
      /'p' whose 'config' has a value at properties\.a\.default that is no JSON/,
    ],
    [
      { providers: [{ type: 'p', config: Type.Object({ a: Type.Any({ default: () => 1 }) }) }] },
      /has a value at properties\.a\.default that is no JSON/,
    ],
    [
      { storages: [{ type: 's', options: throwing() }] },
      /^declares something that cannot be read: not today\. Correct/,
    ],
    [{ providers: [{ type: 'p', config: options, checks: {} }] }, /'p' with 'checks' that are not a list/],
    [{ schedulers: [{ name: 's', media_type: 7 }] }, /strategy 's' whose media_type is 7\. Make it a media type/],
    [{ schedulers: [{ name: 's', media_type: '' }] }, /strategy 's' whose media_type is ''/],
    ...[0, -5, Number.NaN, Number.POSITIVE_INFINITY, '1'].map(
      (lease_ms) => [{ storages: [{ type: 's', options, lease_ms }] }, /storage 's' whose lease_ms is /] as const,
    ),
    ...[null, undefined, {}, { ...check, run: 1 }, { ...check, name: '' }, { ...check, why: 'w'.repeat(1_001) }].map(
      (each) =>
        [{ providers: [{ type: 'p', config: options, checks: [check, each] }] }, /'p' whose checks\[1\]/] as const,
    ),
  ];
  for (const [lists, sentence] of wrong) t.regex(problem(lists) ?? '', sentence);
  t.is(problem({ providers: [{ type: 'p', config: options, checks: [check] }] }), undefined);
  const twice = Type.String({ pattern: '^[a-z]+$' });
  const config = Type.Object({
    default: twice,
    pattern: twice,
    other: twice,
    kept: Type.Any({ default: { pattern: '[' } }),
  });
  t.is(problem({ providers: [{ type: 'p', config }] }), undefined);
  // A field may be named like a keyword.
  for (const name of [
    'properties',
    '$defs',
    'definitions',
    'patternProperties',
    'anyOf',
    'enum',
    'pattern',
    'const',
  ]) {
    const named = Type.Object({ [name]: Type.Record(Type.String(), Type.String({ default: '[' })) });
    t.is(problem({ providers: [{ type: 'p', config: named }] }), undefined, name);
    t.deepEqual(compile(named).parse({ [name]: { a: 'b' } }), { value: { [name]: { a: 'b' } } });
  }
  const kinds = { a: Type.Tuple([Type.String()]), b: Type.Union([Type.Null(), Type.Literal(1)]), c: Type.Enum(['x']) };
  t.is(problem({ providers: [{ type: 'p', config: Type.Object(kinds) }] }), undefined);
  t.is(problem({ schedulers: [{ name: 's', media_type: 'text/csv; charset=utf-8' }] }), undefined);
  t.is(problem({ storages: [{ type: 's', options, lease_ms: 15_000 }] }), undefined);
});

function cyclic() {
  const schema = Type.Object({ child: Type.Any() });
  return Object.assign(schema, { properties: { child: schema } });
}

function nested(levels: number) {
  let schema: TSchema = Type.String();
  for (let level = 0; level < levels; level += 1) schema = Type.Object({ a: schema });
  return schema;
}

/** A schema that has one part in two places, which has one in two places … */
function shared(levels: number) {
  let schema: TSchema = Type.String();
  for (let level = 0; level < levels; level += 1) schema = Type.Object({ a: schema, b: schema });
  return schema;
}

function throwing() {
  return new Proxy(Type.Object({}), {
    get() {
      throw new Error('not today');
    },
  });
}
