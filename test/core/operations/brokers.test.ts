import test from 'ava';
import type { BrokerState, BrokerStatus } from '../../../core/model/broker.ts';
import { listBrokers } from '../../../core/operations/brokers/brokers.ts';
import { textOf } from '../../../host/cli/output/print.ts';
import { aBroker } from '../../../plugin-testkit/storage/records.ts';

const state = (host: string, status: BrokerStatus, names: readonly string[], file: string): BrokerState => ({
  ...aBroker({
    host,
    pid: 7,
    serves: names.map((name) => ({ name, type: 'cloud' })),
    template_files: { 'templates.yaml': file },
  }),
  status,
  lease_until: 0,
  holds: 2,
});
const listed = async (...all: BrokerState[]): Promise<{ brokers: readonly { warnings: readonly string[] }[] }> =>
  (await listBrokers.handle({}, { brokers: async () => all } as never, {} as never)) as never;

test('a dead broker has no warnings and causes none; equal ones of several brokers are one', async (t) => {
  const { brokers } = await listed(
    state('a', 'live', ['east'], 'h1'),
    state('b', 'live', ['east'], 'h1'),
    state('c', 'draining', ['east'], 'h2'),
    state('d', 'dead', ['east'], 'h3'),
  );
  const differs = (where: string) => [
    `Template file 'templates.yaml' differs from those of ${where}. Give all brokers the same files, and refresh the templates.`,
  ];
  t.deepEqual(
    brokers.map(({ warnings }) => warnings),
    [
      differs('the broker on c (pid 7)'),
      differs('the broker on c (pid 7)'),
      differs('the brokers on a (pid 7), b (pid 7)'),
      [],
    ],
  );
});

test('the table shows what each broker can serve', async (t) => {
  const many = ['i1', 'i2', 'i3', 'i4', 'i5', 'i6'];
  const answer = await listed(
    state('a', 'live', ['east', 'west'], 'h1'),
    state('b', 'live', many, 'h1'),
    state('c', 'live', many.slice(0, 5), 'h1'),
    state('d', 'live', [], 'h1'),
  );
  const lines = (await textOf('list_brokers', answer, 'table', { colors: false })).split('\n');
  t.regex(lines[0] ?? '', / PID +SERVES +HOLDS /);
  t.regex(lines[1] ?? '', / 7 +east, west +2 /);
  t.regex(lines[2] ?? '', / 7 +i1, i2, i3, i4 and 2 more +2 /);
  t.regex(lines[3] ?? '', / 7 +i1, i2, i3, i4, i5 +2 /);
  t.regex(lines[4] ?? '', / 7 +2 /);
});
