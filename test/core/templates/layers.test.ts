import test from 'ava';
import { mergeLayers, type FileLayer } from '../../../core/templates/layers.ts';

const options = { instances: ['west', 'east'], bind_types: false };
const main: FileLayer = {
  template_id: 'a',
  source_file: 'templates.json',
  file_type: 'main',
  fields: { template_id: 'a', image_id: 'ami-1', tags: { a: '1' }, name: 'A' },
};
const type: FileLayer = {
  template_id: 'a',
  source_file: 'cloud_templates.json',
  file_type: 'provider_type',
  provider_type: 'cloud',
  fields: { image_id: 'ami-2', key_name: 'k' },
};
const own = (instance: string, fields: Record<string, unknown>): FileLayer => ({
  template_id: 'a',
  source_file: `${instance}_templates.json`,
  file_type: 'provider_instance',
  provider_instance: instance,
  fields,
});

test('layers are merged field by field, the most specific last, whatever order they come in', (t) => {
  const { template, source_info } = mergeLayers(
    'a',
    [own('east', { image_id: 'ami-3', tags: { b: '2' } }), type, main],
    undefined,
    options,
  );
  t.deepEqual(
    { ...template },
    {
      template_id: 'a',
      image_id: 'ami-3',
      tags: { b: '2' },
      name: 'A',
      key_name: 'k',
      provider_name: 'east',
      version: '1.0',
    },
  );
  t.deepEqual(source_info, {
    source_file: 'east_templates.json',
    file_type: 'provider_instance',
    priority: 0,
    override_chain: [
      { file: 'templates.json', fields: ['image_id', 'tags', 'name'] },
      { file: 'cloud_templates.json', fields: ['image_id', 'key_name'] },
      { file: 'east_templates.json', fields: ['image_id', 'tags'] },
    ],
  });
});

const sources: readonly (readonly [readonly FileLayer[], string, number])[] = [
  [[main], 'main', 2],
  [[main, type], 'provider_type', 1],
  [[type], 'provider_type', 1],
  [[main, own('east', {})], 'provider_instance', 0],
];
for (const [layers, file_type, priority] of sources) {
  test(`the most specific layer is the source:  ${layers.map((layer) => layer.file_type).join(', ')}`, (t) => {
    const { source_info } = mergeLayers('a', layers, undefined, options);
    t.deepEqual([source_info.file_type, source_info.priority], [file_type as typeof source_info.file_type, priority]);
  });
}

test('the layer of the API is on top, and null hides a field of a file', (t) => {
  const { template, source_info } = mergeLayers(
    'a',
    [main],
    { template_id: 'a', image_id: null, key_name: 'mine' },
    options,
  );
  t.deepEqual({ ...template }, { template_id: 'a', tags: { a: '1' }, name: 'A', key_name: 'mine', version: '1.0' });
  t.is(source_info.source_file, 'api');
  t.is(source_info.file_type, 'api');
  t.deepEqual(source_info.override_chain.at(-1), { file: 'api', fields: ['image_id', 'key_name'] });
});

test('a file of an instance binds the template to it, unless the file names another one', (t) => {
  t.is(mergeLayers('a', [own('east', {})], undefined, options).template.provider_name, 'east');
  t.is(mergeLayers('a', [own('east', { provider_name: 'west' })], undefined, options).template.provider_name, 'west');
});

test('a template in several instance files is bound to none, lists show the one of the preferred instance, and each instance has its own', (t) => {
  const layers = [main, own('east', { image_id: 'ami-e' }), own('west', { image_id: 'ami-w' })];
  const { template, variants, source_info } = mergeLayers('a', layers, { key_name: 'k' }, options);
  t.is(template.provider_name, undefined);
  t.is(template.image_id, 'ami-w');
  t.is(source_info.override_chain.at(-2)?.file, 'west_templates.json');
  t.deepEqual(
    [...(variants ?? [])].map(([instance, each]) => [instance, each.image_id, each.key_name]),
    [
      ['west', 'ami-w', 'k'],
      ['east', 'ami-e', 'k'],
    ],
  );
});

test('the file of a provider type binds to that type only when there are several types', (t) => {
  t.is(mergeLayers('a', [type], undefined, options).template.provider_type, undefined);
  t.is(mergeLayers('a', [type], undefined, { ...options, bind_types: true }).template.provider_type, 'cloud');
});

test('a merged template cannot be changed', (t) => {
  const { template } = mergeLayers('a', [main], undefined, options);
  t.throws(() => Object.assign(template.tags ?? {}, { b: '2' }));
  t.throws(() => Object.assign(template, { name: 'B' }));
});
