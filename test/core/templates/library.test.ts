import test from 'ava';
import type { Finding } from '../../../core/contract/findings.ts';
import type { TemplateRecord } from '../../../core/model/records.ts';
import type { ProviderApi } from '../../../core/contract/provider/provider-api.ts';
import type { ProviderType } from '../../../core/contract/provider/provider-type.ts';
import type { Store } from '../../../core/contract/storage.ts';
import type { FileLayer } from '../../../core/templates/layers.ts';
import { TemplateLibrary } from '../../../core/templates/library.ts';
import { TemplateReview } from '../../../core/templates/review.ts';

const types = [{ type: 'cloud', aliases: ['aws'] }] as unknown as readonly ProviderType[];
const apis = ['EC2Fleet', 'ASG'].map((name) => ({ type: 'cloud', name })) as unknown as readonly ProviderApi[];
const layer = (template_id: string, fields: Record<string, unknown>): FileLayer => ({
  template_id,
  fields: { template_id, ...fields },
  source_file: 'templates.json',
  file_type: 'main',
});

/** Files and a store that the test can change. */
async function open(layers: FileLayer[], records: TemplateRecord[] = [], findings: Finding[] = []) {
  const watchers = new Set<(kinds: ReadonlySet<'template' | 'request'>) => void>();
  const asked = { all: 0, failing: 0 };
  const store = {
    async find() {
      asked.all += 1;
      if (asked.failing-- > 0) throw new Error('The database cannot serve.');
      return [...records];
    },
    get: async (_kind: string, { template_id }: { template_id: string }) =>
      records.find((each) => each.template_id === template_id),
    watch: (on: (kinds: ReadonlySet<string>) => void) => {
      watchers.add(on as never);
      return { [Symbol.dispose]: () => void watchers.delete(on as never) };
    },
  } as unknown as Store;
  const library = await TemplateLibrary.open({
    load: async () => ({ layers: [...layers], findings, files: ['templates.json'] }),
    store,
    clock: { sleep: async () => undefined },
    review: new TemplateReview(types, apis),
    merge: { instances: [], bind_types: false },
    place: (template) => ({
      provider_type: 'cloud',
      provider_api: template.provider_api ?? 'EC2Fleet',
      ...(template.provider_name ? { provider_name: template.provider_name } : {}),
    }),
  });
  return { library, layers, records, watchers, asked };
}
const record = (template_id: string, fields: Record<string, unknown>): TemplateRecord => ({
  template_id,
  fields,
  created_at: 1,
  updated_at: 1,
  version: 1,
});

test('a template is found by its id, the same frozen object each time', async (t) => {
  const { library } = await open([layer('small', { image_id: 'ami-1' })]);
  t.is(library.get('small'), library.get('small'));
  t.true(Object.isFrozen(library.get('small')));
  t.is(library.get('small').image_id, 'ami-1');
});

test('an unknown id is refused with the most similar one', async (t) => {
  const { library } = await open([layer('small', {})]);
  const error = t.throws(() => library.get('smal'));
  t.like(error, { code: 'TEMPLATE_NOT_FOUND', message: "No template has the id 'smal'. Did you mean 'small'?" });
});

test('a template with invalid layers is refused with the reason, and the others are available', async (t) => {
  const { library } = await open([layer('small', {}), layer('wrong', { max_instances: 'many' })]);
  t.is(library.list().total_count, 1);
  t.like(
    t.throws(() => library.get('wrong')),
    {
      code: 'TEMPLATE_INVALID',
      message: "Template 'wrong' cannot be used: templates.json /max_instances: must be an integer, not a string",
    },
  );
  t.deepEqual(library.cacheStats.errors, [
    "templates.json /max_instances: template 'wrong': must be an integer, not a string",
  ]);
});

test('an API that no plugin provides is a warning: selection refuses it', async (t) => {
  const { library } = await open([layer('small', { provider_api: 'Racks' })]);
  t.is(library.get('small').provider_api, 'Racks');
  t.regex(library.cacheStats.warnings[0] ?? '', /no loaded plugin brings the provider API 'Racks'/);
});

test('refresh reads files and store again', async (t) => {
  const { library, layers, records } = await open([layer('small', {})]);
  layers.push(layer('large', {}));
  records.push(record('mine', { image_id: 'ami-2' }), record('small', { name: 'S' }));
  await library.refresh();
  t.deepEqual(
    library.list().items.map(({ template }) => template.template_id),
    ['large', 'mine', 'small'],
  );
  t.is(library.get('small').name, 'S');
  t.like(library.source('mine'), { source_file: 'api', file_type: 'api' });
  t.like(library.cacheStats, { templates: 3, files: 1, made_over_api: 2, loads: 2 });
});

test('concurrent refreshes share one further read', async (t) => {
  const { library } = await open([]);
  await Promise.all([library.refresh(), library.refresh(), library.refresh(), library.refresh()]);
  t.is(library.cacheStats.loads, 3);
});

test('a template that is stored while the files are read is available afterwards', async (t) => {
  const records: TemplateRecord[] = [];
  let files = Promise.withResolvers<void>();
  files.resolve();
  const library = await TemplateLibrary.open({
    load: () => files.promise.then(() => ({ layers: [layer('small', {})], findings: [], files: ['templates.json'] })),
    store: {
      find: async () => [...records],
      watch: () => ({ [Symbol.dispose]: () => undefined }),
    } as unknown as Store,
    review: new TemplateReview(types, apis),
    merge: { instances: [], bind_types: false },
  });
  files = Promise.withResolvers();
  const refreshed = library.refresh();
  records.push(record('new', { name: 'made meanwhile' }));
  await library.follow();
  t.is(library.get('new').name, 'made meanwhile');
  files.resolve();
  await refreshed;
  t.is(library.get('new').name, 'made meanwhile');
});

test('of two concurrent reads of the store the later one applies', async (t) => {
  const answers: ((records: TemplateRecord[]) => void)[] = [];
  let slow = false;
  const find = () =>
    slow ? new Promise<TemplateRecord[]>((resolve) => void answers.push(resolve)) : Promise.resolve([]);
  const library = await TemplateLibrary.open({
    load: async () => ({ layers: [], findings: [], files: [] }),
    store: { find, watch: () => ({ [Symbol.dispose]: () => undefined }) } as unknown as Store,
    review: new TemplateReview(types, apis),
    merge: { instances: [], bind_types: false },
  });
  slow = true;
  const reads = [library.follow(), library.follow()];
  answers[1]?.([record('new', { name: 'second' })]);
  await reads[1];
  answers[0]?.([record('new', { name: 'first' })]);
  await reads[0];
  t.is(library.get('new').name, 'second');
});

test('templates of another process are read after the notice of the store, or for an unknown id', async (t) => {
  const { library, records, watchers } = await open([]);
  records.push(record('mine', {}));
  for (const on of watchers) on(new Set(['request']));
  t.is(library.find('mine'), undefined);
  for (const on of watchers) on(new Set(['template']));
  await new Promise((resolve) => setImmediate(resolve));
  t.truthy(library.find('mine'));
  records.push(record('later', {}));
  t.is((await library.seek('later')).template_id, 'later');
  library[Symbol.dispose]();
  t.is(watchers.size, 0);
});

test('unknown ids are read one by one, without reading all templates again', async (t) => {
  const { library, records, asked } = await open([layer('one', {})], [record('two', {})]);
  const before = asked.all;
  for (const id of ['a', 'b', 'tow']) await t.throwsAsync(library.seek(id), { code: 'TEMPLATE_NOT_FOUND' } as never);
  t.is(asked.all, before);
  records.push(record('three', {}));
  t.is((await library.seek('three')).template_id, 'three');
  t.is(asked.all, before + 1);
});

test('unchanged templates are neither merged nor checked again', async (t) => {
  const { library, records } = await open(
    [layer('filed', { name: 'a' })],
    [record('kept', { name: 'b' }), record('changed', { name: 'c' })],
  );
  const [filed, kept, changed] = ['filed', 'kept', 'changed'].map((id) => library.get(id));
  records[1] = record('changed', { name: 'd' });
  await library.follow();
  t.is(library.get('filed'), filed as never);
  t.is(library.get('kept'), kept as never);
  t.not(library.get('changed'), changed as never);
  t.is(library.get('changed').name, 'd');
});

const four = [
  layer('a', { provider_api: 'ASG', max_instances: 9 }),
  layer('b', { max_instances: 10, provider_name: 'east' }),
  layer('c', { provider_api: 'EC2Fleet' }),
  layer('d', { provider_type: 'metal', max_instances: 2 }),
];
const lists: readonly (readonly [string, Parameters<TemplateLibrary['list']>[0], readonly string[], number])[] = [
  ['everything, by id', {}, ['a', 'b', 'c', 'd'], 4],
  ['what resolves to an API', { provider_api: 'EC2Fleet' }, ['b', 'c', 'd'], 3],
  ['a type, by an alias, with templates that name none', { provider_type: 'aws' }, ['a', 'b', 'c', 'd'], 4],
  ['a type that only the template names', { provider_type: 'metal' }, ['d'], 1],
  ['an instance', { provider_name: 'east' }, ['b'], 1],
  ['nothing of this name', { provider_api: 'Racks' }, [], 0],
  ['numbers as numbers, absent ones last', { sort: 'max_instances:desc' }, ['b', 'a', 'd', 'c'], 4],
  ['a page', { limit: 2, offset: 1 }, ['b', 'c'], 4],
];
for (const [title, query, ids, total] of lists) {
  test(`a list holds ${title}`, async (t) => {
    const { library } = await open(four);
    const { items, total_count } = library.list(query);
    t.deepEqual(
      items.map(({ template }) => template.template_id),
      [...ids],
    );
    t.is(total_count, total);
  });
}

test('an unknown sort field is refused', async (t) => {
  const { library } = await open(four);
  t.like(
    t.throws(() => library.list({ sort: 'max_instance:asc' })),
    { code: 'INVALID_REQUEST', message: "/sort: cannot sort by 'max_instance'; did you mean 'max_instances'?" },
  );
});

test('a change whose read fails is read again until the read succeeds', async (t) => {
  const { library, records, watchers, asked } = await open([layer('small', { image_id: 'ami-1' })]);
  records.push(record('small', { image_id: 'ami-2' }));
  asked.failing = 3;
  for (const on of watchers) on(new Set(['template']));
  while (asked.failing >= 0) await new Promise((resolve) => void setImmediate(resolve));
  await new Promise((resolve) => void setImmediate(resolve));
  t.like(library.get('small'), { image_id: 'ami-2' });
});
