import fc from 'fast-check';
import type { Operation } from '../../core/operations/operation.ts';
import type { RestBinding } from '../../core/contract/service/rest-binding.ts';
import { anyText } from '../support/any-text.ts';
import { camel } from './spec-broker.ts';

/** One call as it goes over the wire. */
export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: Buffer;
}

/** A route of the path table. */
export interface Route {
  readonly operation: Operation<any, any>;
  readonly rest: RestBinding;
}

const nasty = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  '\u0000',
  '\ud800',
  'ünïcode',
  '💩',
  '/',
  '~1',
  '..',
];
const ids = [
  'small',
  'fleet',
  'bounded',
  'east',
  'made',
  'req-1',
  'ret-1',
  'a',
  `a${'b'.repeat(127)}`,
  'validate',
  'refresh',
  '-a',
  'nowhere',
];
const text = fc.oneof(fc.constantFrom(...ids), fc.constantFrom(...nasty), anyText(12), fc.constant('x'.repeat(3_000)));

/** Any JSON; now and then far too deep, or far too long. */
const json: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 3, arbitrary: text },
  { weight: 2, arbitrary: fc.constantFrom(0, -1, 1, 1.5, 1e9, 1e308, 2 ** 53, -0, true, false, null) },
  { weight: 1, arbitrary: fc.dictionary(text, text, { maxKeys: 4 }) },
  { weight: 1, arbitrary: fc.constant(Array.from({ length: 20_000 }, (_, i) => `i-${i}`)) },
);

const deep = (levels: number) => `${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`;

/** Names of things that are there. */
const known: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  template_id: fc.constantFrom('small', 'small', 'fleet', 'bounded', 'made', 'new'),
  provider_instance: fc.constant('east'),
  provider_type: fc.constant('cloud'),
  provider_api: fc.constantFrom('RunInstances', 'EC2Fleet', 'cloud'),
  sort: fc.constantFrom('template_id:asc', 'status:desc', 'name'),
};

/** What a field of this name and schema takes, or nearly. */
function likely(field: any, name = ''): fc.Arbitrary<unknown> {
  const variants = (field.anyOf ?? [field]).map((each: any): fc.Arbitrary<unknown> => {
    if (each.enum) return fc.constantFrom(...each.enum);
    if (each.type === 'integer' || each.type === 'number') return fc.integer({ min: -1, max: 6 });
    if (each.type === 'boolean') return fc.boolean();
    if (each.type === 'array') return fc.array(each.items ? likely(each.items) : json, { maxLength: 3 });
    if (each.type === 'object' && each.properties) return fieldsOf(each);
    if (each.type === 'object') return fc.dictionary(text, json, { maxKeys: 3 });
    return text;
  });
  const usual = Object.hasOwn(known, name) ? known[name] : undefined;
  return fc.oneof(
    { weight: usual ? 20 : 0, arbitrary: usual ?? json },
    { weight: 8, arbitrary: fc.oneof(...variants) },
    { weight: 1, arbitrary: json },
  );
}

/**
 * Fields of a schema in either spelling, most of them there, with strange ones among them; a list of pairs, so that a
 * key may stand twice.
 */
function fieldsOf(schema: any): fc.Arbitrary<Pairs> {
  const own = Object.entries(schema.properties as Record<string, unknown>).map(([name, field]) =>
    fc.tuple(fc.constantFrom(name, name, name, camel(name)), likely(field, name), needed(schema, name)),
  );
  const strange = fc.tuple(fc.oneof(fc.constantFrom(...nasty), text), json, fc.integer({ min: 3, max: 20 }));
  return fc
    .tuple(own.length > 0 ? fc.tuple(...own) : fc.constant([]), fc.array(strange, { maxLength: 1 }))
    .map(([known, odd]) => ({
      pairs: [...known, ...odd].flatMap(([name, value, times]) =>
        Array.from({ length: times === 0 ? 2 : times < 6 ? 1 : 0 }, () => [name, value] as const),
      ),
    }));
}

/** 0: twice; 1 to 5: once; more: not at all. */
const needed = ({ required = [] }: any, name: string): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: required.includes(name) || name === 'template' ? 6 : 15 });

interface Pairs {
  readonly pairs: readonly (readonly [string, unknown])[];
}

/** JSON of a value in which objects are pairs. */
function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const pairs = Object.hasOwn(value, 'pairs') ? (value as Pairs).pairs : Object.entries(value);
  if (!Array.isArray(pairs) || pairs.some((pair) => !Array.isArray(pair) || typeof pair[0] !== 'string'))
    return JSON.stringify(value);
  return `{${pairs.map(([name, each]) => `${JSON.stringify(name)}:${write(each)}`).join(',')}}`;
}

const bodyOf = ({ operation }: Route): fc.Arbitrary<Buffer> =>
  fc.oneof(
    { weight: 30, arbitrary: fieldsOf(operation.input).map((value) => Buffer.from(write(value))) },
    { weight: 3, arbitrary: json.map((value) => Buffer.from(JSON.stringify(value))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('', 'null', '{', '{"a":1,}', '[1', '"\\ud800"', 'NaN', '{"a":1}{"a":2}', '\ufeff{}')
        .map((each) => Buffer.from(each)),
    },
    { weight: 1, arbitrary: fc.constantFrom(40, 100, 50_000).map((levels) => Buffer.from(deep(levels))) },
    {
      weight: 1,
      arbitrary: fc.constant(
        Buffer.concat([Buffer.from('{"template_id":"'), Buffer.from([0xff, 0xc0]), Buffer.from('"}')]),
      ),
    },
  );

/** Values of a query that some route takes, by name; what else may stand there is for all. */
const asked: Readonly<Record<string, readonly string[]>> = {
  sort: ['name:asc', 'created_at:desc', 'status', 'x:y:z', 'colour:asc', 'constructor:asc', ':desc'],
  limit: ['1', '0', '1000', '1001', '1e3'],
  page: ['1', '2', '0', '999999999999'],
  page_size: ['1', '200', '201'],
  status: ['pending', 'completed', 'done'],
};

const queryOf = ({ operation, rest }: Route): fc.Arbitrary<string> => {
  const own = Object.keys(operation.input.properties);
  const name = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...(own.length > 0 ? own : ['limit'])) },
    { weight: 1, arbitrary: fc.constantFrom(...Object.keys(asked), ...nasty) },
  );
  const any = fc.oneof(text, fc.constantFrom('1', '-1', 'true', '[]', '{}', '%', '%ff', '%00'));
  const value = (of: string) => {
    const meant = Object.hasOwn(asked, of) ? asked[of] : undefined;
    return meant ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...meant) }, { weight: 1, arbitrary: any }) : any;
  };
  const encode = (each: string) =>
    each.startsWith('%') ? each : encodeURIComponent(each.replaceAll(/[\ud800-\udfff]/g, ''));
  const pair = name.chain((left) => value(left).map((right) => `${encode(left)}=${encode(right)}`));
  return fc.oneof(
    { weight: rest.method === 'GET' ? 1 : 20, arbitrary: fc.constant('') },
    { weight: 3, arbitrary: fc.array(pair, { maxLength: 3 }).map((pairs) => `?${pairs.join('&')}`) },
  );
};

const headers: fc.Arbitrary<Record<string, string>> = fc.record(
  {
    'idempotency-key': fc.oneof(fc.constantFrom('key-1', 'key-2', 'key-3', 'key-4', '', 'two words', 'x'.repeat(256))),
    'x-request-id': fc.oneof(fc.constantFrom('call-1', '', 'x'.repeat(300)), fc.string({ maxLength: 8 })),
    accept: fc.constantFrom('*/*', 'text/html', 'nonsense'),
    'x-forwarded-for': fc.constantFrom('1.2.3.4', 'nobody', '::1'),
    'content-type': fc.constantFrom(
      ...Array<string>(12).fill('application/json'),
      'application/json',
      'application/json; charset=latin1',
      'text/plain',
      'nonsense',
      'application/json;;',
    ),
  },
  { requiredKeys: [] },
);

/** A call of one of these routes, mostly with its own method. */
export const callOf = (
  routes: readonly Route[],
  prefix: string,
): fc.Arbitrary<{ readonly route: Route; readonly call: Call }> =>
  // What a call stores, and lists with their many parameters, deserve more of them.
  fc
    .constantFrom(
      ...routes.flatMap((route) =>
        Array.from({ length: route.rest.idempotent || route.rest.path.endsWith('/') ? 4 : 1 }, () => route),
      ),
    )
    .chain((route) => {
      const parameter = fc.oneof(
        { weight: 4, arbitrary: text },
        { weight: 6, arbitrary: fc.constantFrom(...ids) },
        { weight: 1, arbitrary: fc.constantFrom('%', '%ff', '%2e%2e', '..', 'x'.repeat(1_200)) },
      );
      const encode = (each: string) =>
        /^%|^\.\.$/.test(each) ? each : encodeURIComponent(each.replaceAll(/[\ud800-\udfff]/g, ''));
      const steps = route.rest.path
        .split(/(\{\w+\})/)
        .map((step) => (step.startsWith('{') ? parameter.map(encode) : fc.constant(step)));
      const own = route.rest.method;
      return fc
        .record({
          method: fc.oneof(
            { weight: 12, arbitrary: fc.constant<string>(own) },
            { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH') },
          ),
          path: fc.tuple(...steps).map((parts) => parts.join('')),
          query: queryOf(route),
          headers,
          payload: own === 'GET' ? fc.option(bodyOf(route), { nil: undefined, freq: 1 }) : bodyOf(route),
        })
        .map(({ method, path, query, headers: given, payload }) => {
          const type = payload && payload.length > 0 ? { 'content-type': 'application/json' } : {};
          return {
            route,
            call: {
              method,
              url: `${prefix}${path}${query}`,
              headers: { ...type, ...given },
              ...(payload ? { payload } : {}),
            },
          };
        });
    });
