import { AssertionError } from 'node:assert';
import test from 'ava';
import {
  definePlugin,
  listView,
  Type,
  type Plugin,
  type RequestDetail,
  type RequestRecord,
  type SchedulerStrategy,
  type View,
} from '../../core/index.ts';
import format from '../../plugins/default-format/index.ts';
import hostfactory from '../../plugins/hostfactory-format/index.ts';
import { collectingRunner } from '../support/collecting-runner.ts';
import { testScheduler } from '../../plugin-testkit/index.ts';

const own = (format.schedulers ?? [])[0] as SchedulerStrategy;
const theirs = (hostfactory.schedulers ?? [])[0] as SchedulerStrategy;
const pluginOf = (strategy: object): Plugin =>
  definePlugin({ name: 'format-of-a-stranger', contract: 1, schedulers: [strategy as SchedulerStrategy] });

const small = { template_id: 'small', image_id: 'ami-1' };
const large = { template_id: 'large', tags: { a: '1' } };

function checksOf(strategy: object) {
  const checks = collectingRunner();
  testScheduler({
    test: checks.runner,
    plugin: () => pluginOf(strategy),
    files: [{ name: 'templates.json', content: { templates: [small, large] }, templates: { small, large } }],
    foreignFiles: [{ name: 'others.json', content: { hosts: [small] } }],
  });
  return checks;
}

/** The strategy with a view that renders something else. */
const rendering = <V extends 'requested' | 'returned' | 'status' | 'templates' | 'reclaims'>(
  name: V,
  render: (value: Parameters<SchedulerStrategy[V]['render']>[0], as: object) => unknown,
): object => ({
  ...own,
  [name]: {
    ...own[name],
    render: (value: never) => render(value, (own[name] as View<never>).render(value) as object),
  },
});
const listing = (given: Partial<SchedulerStrategy['listed']>): object => ({
  ...own,
  listed: { ...own.listed, ...given },
});
const reading = (
  change: (read: ReturnType<NonNullable<SchedulerStrategy['readTemplates']>>, file: any) => unknown,
): object => ({
  ...own,
  readTemplates: (file: unknown, canonical: never) =>
    change(own.readTemplates?.(file, canonical) ?? { layers: [], findings: [] }, file),
});
const sound = { ...own, recognizes: (file: any) => Array.isArray(file?.templates) };

let calls = 0;
const defects: readonly (readonly [string, string, object])[] = [
  [
    'a view that needs machines',
    '`status` renders every situation',
    rendering('status', ({ machines }, as) => ({ ...as, first: (machines as readonly object[])[0] })),
  ],
  [
    'a view that changes what it is given',
    '`status` renders every situation',
    rendering('status', ({ machines }, as) => {
      (machines as object[] | undefined)?.reverse();
      return as;
    }),
  ],
  [
    'a view that asks for the time',
    '`templates` renders every situation',
    rendering('templates', (_, as) => ({ ...as, timestamp: new Date().toISOString() })),
  ],
  [
    'a view that counts its calls',
    '`requested` renders every situation',
    rendering('requested', (_, as) => ({ ...as, nonce: (calls += 1) })),
  ],
  [
    'a view that renders what JSON does not have',
    'what `requested` renders is JSON and fits its own schema',
    rendering('requested', ({ request }, as) => ({ ...as, created_at: new Date(request.created_at) })),
  ],
  [
    'a view that renders what its schema does not have',
    'what `reclaims` renders is JSON and fits its own schema',
    rendering('reclaims', (machines) => ({ machines: machines.map(({ machine_id }) => ({ machine_id })) })),
  ],
  [
    'an object where the media type says text',
    'what `status` renders is text and fits its own schema',
    { ...own, media_type: 'text/csv' },
  ],
  [
    'an answer without the id',
    'the id of a request can be found',
    rendering('requested', (_, as) => ({ ...as, request_id: '' })),
  ],
  [
    'a return whose id is that of its origin',
    'the id of a return can be found',
    rendering('returned', ({ request }, as) => ({ ...as, request_id: request.origins?.[0] })),
  ],
  [
    'a status without machines',
    'the ids of its machines can be found',
    rendering('status', (_, as) => ({ ...as, machines: [] })),
  ],
  [
    'a request that is called completed as soon as it is cancelled',
    'an open request never renders like an ended one',
    rendering('status', ({ request }, as) => ({
      ...as,
      status: request.cancel_requested_at === undefined ? request.status : 'cancelled',
    })),
  ],
  [
    'a word for every status',
    'its status word shows whether the request has ended',
    { ...own, statusWord: ({ status }: RequestRecord) => (status === 'pending' ? 'waiting' : 'done') },
  ],
  [
    'a list that is not made of its entries',
    'a rendered list equals `around` of its rendered entries',
    listing({ render: () => ({ requests: [], count: 0, total_count: 0 }) }),
  ],
  [
    'a list that is turned around',
    'each entry is in a list once, unchanged and in the given order',
    listing({ around: ({ count, total_count }, entries) => ({ requests: entries.toReversed(), count, total_count }) }),
  ],
  [
    'a list with one entry twice',
    'each entry is in a list once, unchanged and in the given order',
    listing({
      around: ({ count, total_count }, requests) => ({ newest: requests[0] ?? null, requests, count, total_count }),
    }),
  ],
  [
    'a recogniser that throws',
    'recognizes answers for any content of a file, and never throws',
    { ...own, recognizes: (file: any) => 'templates' in file },
  ],
  [
    'a recogniser that takes everything',
    'recognizes returns false for files of other dialects',
    { ...own, recognizes: () => true },
  ],
  [
    'a reader that throws',
    'readTemplates reads no template from other content',
    {
      ...own,
      readTemplates: (file: any) => ({
        layers: file.templates.map((fields: any) => ({ template_id: fields.template_id, fields })),
        findings: [],
      }),
    },
  ],
  [
    'a reader that trips over a part that is null',
    'a file with any part replaced',
    reading((read) => {
      for (const { fields } of read.layers) if ('tags' in fields) Object.keys(fields['tags'] as object);
      return read;
    }),
  ],
  [
    'a reader that says nothing',
    'readTemplates reads no template from other content',
    reading(({ layers }) => ({ layers, findings: [] })),
  ],
  [
    'a reader that loses a field',
    'templates.json is read as expected',
    reading(({ layers, findings }) => ({
      layers: layers.map(({ template_id, fields: { image_id } }) => ({
        template_id,
        fields: image_id ? { template_id, image_id } : { template_id },
      })),
      findings,
    })),
  ],
  [
    'a reader that drops what it does not know',
    'an unknown key is kept as it is written',
    reading(({ layers, findings }) => ({
      layers: layers.map(({ template_id, fields: { template_id: id, image_id, tags } }) => ({
        template_id,
        fields: { template_id: id, ...(image_id ? { image_id } : {}), ...(tags ? { tags } : {}) },
      })),
      findings,
    })),
  ],
  [
    'a reader that gives up at the first mistake',
    'a wrong template is omitted and reported with its path, and the others are read',
    reading(({ layers, findings }) => ({ layers: findings.length > 0 ? [] : layers, findings })),
  ],
  [
    'a reader that does not say where',
    'a wrong template is omitted and reported with its path, and the others are read',
    reading(({ layers, findings }) => ({ layers, findings: findings.map((finding) => ({ ...finding, path: '' })) })),
  ],
  ['a view that is missing', 'it has every view, each with the schema', { ...own, reclaims: undefined }],
  [
    'files that are recognized and never read',
    'it can read the files that it recognizes',
    { ...own, recognizes: () => false, readTemplates: undefined },
  ],
];

const passing = checksOf(sound);
for (const [defect, words, strategy] of defects) {
  test(`the kit of schedulers catches ${defect}`, async (t) => {
    t.true((await checksOf(strategy).failureOf(words)) instanceof AssertionError);
    // What only another strategy has is shown by the kit's runs over our own formats.
    if (!/statusWord/.test(Object.keys(strategy).join()) && !('media_type' in strategy))
      t.is(await passing.failureOf(words), undefined);
  });
}

test('a scheduler that speaks text passes the kit', async (t) => {
  const text = Type.String();
  const line: View<RequestDetail> = {
    schema: text,
    render: ({ request, machines = [] }) =>
      [request.request_id, request.status, ...machines.map(({ machine_id }) => machine_id)].join('\t'),
  };
  const strategy: SchedulerStrategy = {
    name: 'lines',
    media_type: 'text/plain; charset=utf-8',
    requested: line,
    returned: line,
    status: line,
    listed: listView<RequestDetail>({ schema: text, entry: line.render, around: (_, lines) => lines.join('\n') }),
    templates: { schema: text, render: ({ items }) => items.map(({ template }) => template.template_id).join('\n') },
    reclaims: { schema: text, render: (machines) => machines.map(({ machine_id }) => machine_id).join('\n') },
  };
  const checks = collectingRunner();
  testScheduler({ test: checks.runner, plugin: () => pluginOf(strategy) });
  t.deepEqual(await checks.failures(), []);
  t.true(checks.todos.some((title) => title.includes('never throws (not shown: a strategy that reads templates)')));
});

test('what the kit of schedulers cannot show is a todo, never passed', (t) => {
  const checks = collectingRunner();
  testScheduler({ test: checks.runner, plugin: () => pluginOf(theirs) });
  t.deepEqual(
    checks.todos.map((title) => title.replace("scheduler 'hostfactory': ", '')),
    [
      'recognizes returns true for files of the dialect (not shown: `files` of the dialect)',
      'recognizes returns false for files of other dialects (not shown: `foreignFiles`, files of other dialects)',
      'the same file is read the same way twice, and is not changed (not shown: `files` of the dialect)',
      'a file with any part replaced is read without a throw (not shown: `files` of the dialect)',
      'an unknown key is kept as it is written (not shown: `files` of the dialect)',
      'a wrong template is omitted and reported with its path, and the others are read (not shown: `files` of the dialect)',
    ],
  );
});

test('a missing scheduler of the plugin is an immediate error', (t) => {
  t.throws(() => testScheduler({ test: () => {}, plugin: () => hostfactory }), {
    message:
      "Plugin 'hostfactory-format' contributes several schedulers: name one with `scheduler`; it has 'hostfactory', 'lsf'.",
  });
});
