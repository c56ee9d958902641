import test from 'ava';
import { differencesOf, sharedDifferencesOf } from '../../../core/brokers/differences.ts';
import type { BrokerRecord, SelectionTerms } from '../../../core/model/broker.ts';
import { aBroker } from '../../../plugin-testkit/storage/records.ts';

const terms: SelectionTerms = {
  enabled: true,
  priority: 1,
  weight: 10,
  apis: ['A'],
  limits: { max_instances_per_request: 100, max_concurrent_requests: null },
  template_defaults: { subnet_ids: ['s-1'], key_name: 'k' },
};
const broker = (
  host: string,
  names: readonly string[],
  fields: Partial<SelectionTerms>,
  files?: object,
): BrokerRecord =>
  aBroker({
    host,
    pid: 7,
    serves: names.map((name) => ({ name, type: 'cloud', identity: 'x', terms: { ...terms, ...fields } })),
    ...(files ? { template_files: files as Record<string, string> } : {}),
  });
const found = (mine: BrokerRecord, theirs: BrokerRecord) => differencesOf(mine, [mine, theirs]);

test('brokers that are configured the same have no differences, whatever the order of the fields', (t) => {
  const files = { 'templates.yaml': 'h1', 'east_templates.yaml': 'h2' };
  const sameDefaults = { template_defaults: { key_name: 'k', subnet_ids: ['s-1'] } };
  t.deepEqual(
    found(
      broker('a', ['east'], {}, files),
      broker('b', ['east', 'west'], sameDefaults, { ...files, 'west_templates.json': 'h3' }),
    ),
    [],
    'a file of an instance that only one broker has is read there alone',
  );
  t.deepEqual(
    found(broker('a', ['east'], {}), broker('b', ['east'], {}, files)),
    [],
    'an older version tells no files',
  );
});

test('a difference in an instance or in template files is one sentence with the fields and the files', (t) => {
  const files = (templates: string) => ({ 'templates.yaml': templates, 'cloud_templates.yaml': templates });
  t.deepEqual(
    found(broker('a', ['east'], {}, files('h1')), broker('b', ['east'], { weight: 20, priority: 2 }, files('h2'))),
    [
      "Instance 'east' differs from that of the broker on b (pid 7) in priority, weight. Configure it the same.",
      "Template files 'cloud_templates.yaml', 'templates.yaml' differ from those of the broker on b (pid 7). Give all brokers the same files, and refresh the templates.",
    ],
  );
  t.regex(
    found(broker('a', ['east'], {}, { 'templates.yaml': 'h1' }), broker('b', ['east'], {}, {}))[0] ?? '',
    /^Template file 'templates.yaml' differs/,
    'one broker lacks it',
  );
});

test('brokers that differ in the same way share a sentence, which names at most three of them', (t) => {
  const mine = broker('a', ['east'], {}, { 'templates.yaml': 'h1' });
  const others = ['b', 'c', 'd', 'e', 'f'].map((host) => ({
    ...broker(host, ['east'], host === 'f' ? { weight: 20 } : {}, { 'templates.yaml': host }),
    broker_id: host,
  }));
  t.deepEqual(sharedDifferencesOf(mine, [mine, ...others]), [
    "Template file 'templates.yaml' differs from those of the brokers on b (pid 7), c (pid 7), d (pid 7) and 2 more. Give all brokers the same files, and refresh the templates.",
    "Instance 'east' differs from that of the broker on f (pid 7) in weight. Configure it the same.",
  ]);
  t.is(differencesOf(mine, [mine, ...others]).length, 6, 'the log has one for each broker');
});
