import test from 'ava';
import fc from 'fast-check';
import { Type } from 'typebox';
import { compile } from '../../../core/schema/compile.ts';

const Inner = Type.Object(
  { fast_boot: Type.Boolean({ default: true }), tags: Type.Optional(Type.Record(Type.String(), Type.String())) },
  { default: {} },
);
const Thing = Type.Object(
  {
    machine_count: Type.Integer({ minimum: 1, aliases: ['count', 'requested_count'] }),
    note: Type.Optional(Type.String({ maxLength: 5 })),
    ratio: Type.Optional(Type.Number({ minimum: 0 })),
    port: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 65_535 }), Type.Null()])),
    level: Type.Optional(Type.Enum(['low', 'high'])),
    word: Type.Optional(Type.Union([Type.Literal('yes'), Type.Literal('no'), Type.Null()])),
    names: Type.Optional(Type.Array(Type.String())),
    tags: Type.Optional(Type.Record(Type.String(), Type.String())),
    inner: Type.Optional(Type.Object(Inner.properties)),
    parts: Type.Optional(Type.Array(Type.Object({ part_name: Type.String() }, { additionalProperties: false }))),
  },
  { additionalProperties: false },
);
const thing = compile(Thing);
const open = compile(
  Type.Object(
    { image_id: Type.Optional(Type.String({ aliases: ['image'] })), image: Type.Optional(Type.String()) },
    { additionalProperties: true },
  ),
);

const accepted: readonly (readonly [string, unknown, unknown])[] = [
  ['own name', { machine_count: 1 }, { machine_count: 1 }],
  ['camelCase', { machineCount: 1 }, { machine_count: 1 }],
  ['an alias', { count: 1 }, { machine_count: 1 }],
  ['camelCase of an alias', { requestedCount: 1 }, { machine_count: 1 }],
  ['two spellings with one value', { count: 1, machine_count: 1 }, { machine_count: 1 }],
  [
    'names in lists of objects',
    { count: 1, parts: [{ partName: 'a' }] },
    { machine_count: 1, parts: [{ part_name: 'a' }] },
  ],
  [
    'free maps as they are',
    { count: 1, tags: { machineCount: 'x' } },
    { machine_count: 1, tags: { machineCount: 'x' } },
  ],
  ['null where it is allowed', { count: 1, port: null }, { machine_count: 1, port: null }],
  ['a value of a choice', { count: 1, word: 'no' }, { machine_count: 1, word: 'no' }],
];
for (const [title, raw, value] of accepted) {
  test(`a known spelling is replaced by the field's own name: ${title}`, (t) => {
    const given = structuredClone(raw);
    const parsed = thing.parse(raw);
    t.deepEqual(parsed.value, value as never);
    t.deepEqual(raw, given, 'what was given is not changed');
  });
}

test('defaults fill absent fields, also inside an absent object with a default', (t) => {
  t.deepEqual(compile(Type.Object({ inner: Inner })).parse({}).value, { inner: { fast_boot: true } });
});

test('the own name of a field takes precedence over an alias of another field', (t) => {
  t.deepEqual(open.parse({ image: 'x' }).value, { image: 'x' });
});

test('unknown fields of an open object stay as they were written', (t) => {
  t.deepEqual(open.parse({ someThing: { deepThing: 1 } }).value, { someThing: { deepThing: 1 } } as never);
});

const converted: readonly (readonly [string, Record<string, unknown>, Record<string, unknown>])[] = [
  ['a number', { count: '3' }, { machine_count: 3 }],
  ['a fraction', { count: '3', ratio: '0.5' }, { machine_count: 3, ratio: 0.5 }],
  ['text that is due stays text', { count: '3', note: '12' }, { machine_count: 3, note: '12' }],
  ['a switch', { count: '3', inner: { fastBoot: 'FALSE' } }, { machine_count: 3, inner: { fast_boot: false } }],
  ['a list', { count: '3', names: 'a, b' }, { machine_count: 3, names: ['a', 'b'] }],
  ['an empty list', { count: '3', names: '' }, { machine_count: 3, names: [] }],
  ['JSON', { count: '3', tags: '{"a":"b"}' }, { machine_count: 3, tags: { a: 'b' } }],
  ['null', { count: '3', port: 'null' }, { machine_count: 3, port: null }],
];
for (const [title, raw, value] of converted) {
  test(`text is converted where the result is unambiguous: ${title}`, (t) => {
    t.deepEqual(thing.parse(raw, { convert: true }).value, value as never);
  });
}

test('without conversion text is not a number', (t) => {
  t.deepEqual(thing.parse({ count: '3' }).findings, [
    { level: 'error', path: '/machine_count', message: 'must be an integer, not a string' },
  ]);
});

const refused: readonly (readonly [string, unknown, readonly (readonly [string, string])[]])[] = [
  ['a missing field', {}, [['/machine_count', 'is required']]],
  ['a bound', { count: 0 }, [['/machine_count', 'must be >= 1']]],
  ['a bound of a field that may be null', { count: 1, port: 70_000 }, [['/port', 'must be <= 65535']]],
  [
    'another type than a field that may be null',
    { count: 1, port: 'x' },
    [['/port', 'must be an integer or null, not a string']],
  ],
  ['a value outside an enumeration', { count: 1, level: 'middle' }, [['/level', 'must be one of low, high']]],
  ['a value outside a choice', { count: 1, word: 'maybe' }, [['/word', 'must be one of yes, no or null']]],
  [
    'an unknown field',
    { count: 1, machine_conut: 2 },
    [['/machine_conut', "unknown field; did you mean 'machine_count'?"]],
  ],
  [
    'an unknown field in a list',
    { count: 1, parts: [{ part_name: 'a', x: 1 }] },
    [['/parts/0/x', 'unknown field; known: part_name']],
  ],
  ['null', null, [['', 'must be an object, not null']]],
  ['a list', [], [['', 'must be an object, not a list']]],
  [
    'two spellings with different values',
    { count: 1, machineCount: 2 },
    [
      ['/count', "'count' and 'machineCount' are the same field and have different values"],
      ['/machineCount', "'count' and 'machineCount' are the same field and have different values"],
    ],
  ],
  [
    'everything at once, in order of the path',
    { count: 0, note: 'too long', level: 'x', other_thing: 1 },
    [
      ['/level', 'must be one of low, high'],
      ['/machine_count', 'must be >= 1'],
      ['/note', 'must not have more than 5 characters'],
      [
        '/other_thing',
        'unknown field; known: machine_count, note, ratio, port, level, word, names, tags, inner, parts',
      ],
    ],
  ],
];
for (const [title, raw, findings] of refused) {
  test(`an error is reported with its path: ${title}`, (t) => {
    t.deepEqual(
      (thing.parse(raw).findings ?? []).map(({ path, message }) => [path, message] as const),
      [...findings],
    );
  });
}

test('fewer than a hundred findings are all reported', (t) => {
  const names = Array.from({ length: 100 }, (_, i) => i);
  t.is(thing.parse({ count: 1, names }).findings?.length, 100);
});

test('of too many unknown fields the first are reported, with the number of the rest', (t) => {
  const closed = compile(Type.Object({ count: Type.Integer() }, { additionalProperties: false }));
  const unknown = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, 1]));
  const { findings = [] } = closed.parse({ count: 1, ...unknown });
  t.is(findings.length, 101);
  t.true(findings.slice(0, -1).every(({ message }) => message === 'unknown field; known: count'));
  t.like(findings.at(-1), { path: '', message: 'at least 200 more findings are not shown', more: 200 });
  t.like(closed.parse({ count: 1, ...unknown }, { most: 0 }).findings, { length: 1, 0: { path: '' } });
});

test('an unknown field is reported once, with its pointer', (t) => {
  const closed = compile(Type.Object({ a: Type.Object({ count: Type.Integer() }, { additionalProperties: false }) }));
  t.deepEqual(closed.parse({ a: { count: 1, 'x/~y': 1 } }).findings, [
    { level: 'error', path: '/a/x~1~0y', message: 'unknown field; known: count' },
  ]);
});

test('a field called __proto__ is refused and changes nothing', (t) => {
  const { findings } = thing.parse(JSON.parse('{"count": 1, "__proto__": {"polluted": true}}'));
  t.deepEqual(findings, [{ level: 'error', path: '/__proto__', message: 'is not a field name' }]);
  t.is(({} as { polluted?: boolean }).polluted, undefined);
});

const key = fc.oneof(
  fc.constantFrom(
    'machine_count',
    'machineCount',
    'count',
    'note',
    'port',
    'tags',
    'inner',
    'parts',
    '__proto__',
    'constructor',
  ),
  fc.string(),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21, '', 'x', '3', 'null', '{', '[1]'),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(key, tie('json'), { maxKeys: 5, noNullPrototype: false }),
  ),
}));

test('parse never throws and returns either a value or findings', (t) => {
  fc.assert(
    fc.property(json, fc.boolean(), (raw, convert) => {
      const parsed = thing.parse(raw, { convert });
      return parsed.value === undefined ? (parsed.findings?.length ?? 0) > 0 : true;
    }),
  );
  t.pass();
});

test('canonical spelling is idempotent', (t) => {
  fc.assert(
    fc.property(json, (raw) => {
      const once = thing.canonical(raw).value;
      t.deepEqual(thing.canonical(once).value, once);
    }),
  );
});
