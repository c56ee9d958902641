import test from 'ava';
import { compile } from '../../../../core/schema/compile.ts';
import { slowPatterns } from '../../../../core/schema/checks/slow-patterns.ts';
import { Type } from '../../../../core/index.ts';
import { builtInPlugins } from '../../../../scripts/pages/configuration.ts';

const slow = [
  '^(a+)+$',
  '^(a|a)*$',
  '^[a-z]+(-[a-z]+)*$',
  '^(a{1,30}){1,30}$',
  '^a*b*$',
  '^a{2,}b{2,}$',
  'a+b',
  '[a-z]{1,1000}@',
  '^a|b+',
  '^((x)|y)+$',
  `^${'(a|a)?'.repeat(16)}$`,
  `^${'a?'.repeat(30)}${'a'.repeat(30)}$`,
  '^[a-z]{0,800}[a-z]{0,800}$',
  '^[a-z]+[a-z]{0,100}$',
  '^(.*)\\1$',
  '^(?<x>.*)\\k<x>$',
  '['.repeat(100_000),
];
const quick = [
  '^a+$',
  '^[a-z_]+(:(asc|desc))?$',
  '^[(+*)]+$',
  '^\\(\\+\\)*$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '\\d{4}',
  '^[a-z](?:[a-z-]{0,126}[a-z])?$',
  '^\\d{1,20}(\\.\\d{1,20})?$',
  '^(?!muster:)',
  '^(a|b)$',
  'abc',
];

test('patterns that could take long are found, wherever a schema has them', (t) => {
  for (const pattern of slow) t.deepEqual(slowPatterns(Type.Object({ a: Type.String({ pattern }) })), [pattern]);
  for (const pattern of quick) t.deepEqual(slowPatterns(Type.Object({ a: Type.String({ pattern }) })), [], pattern);
  t.deepEqual(slowPatterns({ type: 'string', pattern: /^(a+)+$/i }), ['^(a+)+$']);
  const keyed = Type.Union([Type.Null(), Type.Array(Type.Record(Type.String({ pattern: '^(a+)+$' }), Type.Any()))]);
  t.deepEqual(slowPatterns(keyed), ['^(a+)+$']);
});

test('no built-in plugin declares such a pattern for its templates or its configuration', async (t) => {
  for (const { name, providers = [], providerApis = [] } of await builtInPlugins())
    t.deepEqual(slowPatterns([providers, providerApis]), [], name);
});

test('a text for which a pattern takes too long is refused, with the pattern; other texts are checked as ever', (t) => {
  const { parse } = compile(Type.Object({ size: Type.String({ pattern: '^(a+)+$' }), n: Type.Integer() }));
  t.deepEqual(parse({ size: 'aaa', n: 1 }), { value: { size: 'aaa', n: 1 } });
  t.deepEqual(
    parse({ size: 'b', n: 'x' }).findings?.map(({ path }) => path),
    ['/n', '/size'],
  );
  // It would take hours.
  const { findings } = parse({ size: `${'a'.repeat(40)}!`, n: 1 });
  t.is(findings?.length, 1);
  t.regex(findings?.[0]?.message ?? '', /cannot be checked within 100 ms: .*pattern: \^\(a\+\)\+\$\.$/);
  t.deepEqual(parse({ size: 'aa', n: 1 }), { value: { size: 'aa', n: 1 } });
});
