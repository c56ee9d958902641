import test from 'ava';
import type { ProviderDirectory } from '../../../core/providers/directory.ts';
import { Capacity } from '../../../core/providers/capacity.ts';
import type { Placed } from '../../../core/model/template.ts';

/** A directory in which each template has two offers of its own, one of them in a zone that sorts before. */
const directory = {
  selectable: [{ name: 'west' }, { name: 'east' }],
  places: () => ({ zone_of: { 'subnet-1': 'b', 'subnet-2': 'a' } }),
  mayServeAt: () => true,
  apiOf: () => ({ name: 'RunInstances' }),
  quarantined: () => undefined,
  offerShortfalls: () => [],
  offersOf: ({ template_id }: { template_id: string }) => ({
    offers: ['subnet-1', 'subnet-2'].map((subnet_id) => ({
      key: `${template_id}|${subnet_id}`,
      machine_type: template_id,
      subnet_id,
      market: 'spot',
    })),
  }),
} as unknown as ProviderDirectory;

const templates = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ template: { template_id: `t-${index}` } }) as Placed);

test('offers are sorted by instance, type and zone', async (t) => {
  const offers = await new Capacity(directory).offers(templates(2));
  t.deepEqual(
    offers.map(({ provider_instance, key, zone }) => [provider_instance, key, zone].join(' ')),
    [
      'west t-0|subnet-2 a',
      'west t-0|subnet-1 b',
      'west t-1|subnet-2 a',
      'west t-1|subnet-1 b',
      'east t-0|subnet-2 a',
      'east t-0|subnet-1 b',
      'east t-1|subnet-2 a',
      'east t-1|subnet-1 b',
    ],
  );
});

test('other work of the thread runs while the offers of many templates are computed', async (t) => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  t.is((await new Capacity(directory).offers(templates(400))).length, 1_600);
  isOver = true;
  t.true(turns >= 20, `${turns} turns`);
});
