import test from 'ava';
import { shapeProblem } from '../../config/plugins/plugin-shape.ts';
import { definePlugin, Type, type Capabilities } from '../../core/index.ts';
import { ScriptedCloud, scriptedApi } from '../support/scripted-cloud.ts';

const pluginWith = (capabilities: Partial<Capabilities>) =>
  definePlugin({
    name: 'acme',
    contract: 1,
    providerApis: [scriptedApi(new ScriptedCloud(capabilities).capabilities)],
  });

test('a provider API by whose capabilities nothing could be ordered is refused with a sentence', (t) => {
  t.is(shapeProblem(pluginWith({})), undefined);
  for (const machines_per_launch of [0, -1, 0.5, Number.NaN])
    t.regex(
      shapeProblem(pluginWith({ machines_per_launch })) ?? '',
      /'Scripted' whose machines_per_launch is .* at least 1/,
    );
  t.regex(shapeProblem(pluginWith({ token_valid_ms: Number.POSITIVE_INFINITY })) ?? '', /token_valid_ms is Infinity/);
  t.regex(shapeProblem(pluginWith({ offers_per_launch: 'all' as never })) ?? '', /offers_per_launch is 'all'/);
});

test('what a plugin declares and nothing could work with is refused with a sentence', (t) => {
  const problem = (lists: object) => shapeProblem({ name: 'acme', contract: 1, ...lists } as never);
  const options = Type.Object({});
  const check = { name: 'disk', why: 'w', remedy: 'r', run: async () => [] };
  const wrong: readonly (readonly [lists: object, sentence: RegExp])[] = [
    [{ storages: [{ type: 's', options: undefined }] }, /storage 's' whose 'options' is no schema of an object/],
    [{ storages: [{ type: 's', options: Type.Any() }] }, /storage 's' whose 'options' is no schema of an object/],
    [{ providers: [{ type: 'p', config: 'text' }] }, /provider type 'p' whose 'config' is no schema of an object/],
    [{ eventSinkTypes: [{ type: 'e', options: [] }] }, /event sink type 'e' whose 'options' is no schema/],
    [{ providerApis: [{ name: 'A', fields: Type.String() }] }, /provider API 'A' whose 'fields' is no schema/],
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
  t.is(problem({ schedulers: [{ name: 's', media_type: 'text/csv; charset=utf-8' }] }), undefined);
  t.is(problem({ storages: [{ type: 's', options, lease_ms: 15_000 }] }), undefined);
});
