import test from 'ava';
import { LiveBrokers } from '../../../core/brokers/live-brokers.ts';
import { aBroker } from '../../../plugin-testkit/storage/records.ts';

const east = { name: 'east', type: 'cloud' };
const west = { name: 'west', type: 'cloud' };
const disabled = {
  enabled: false,
  priority: 1,
  weight: 1,
  apis: [],
  limits: { max_instances_per_request: 1, max_concurrent_requests: null },
  template_defaults: {},
};

test('another broker has instances when it speaks to the same clouds, and may have them before it has connected', (t) => {
  const me = aBroker({ host: 'a', serves: [{ ...east, identity: 'e' }] });
  const needed = [{ name: 'east', identity: 'e' }, { name: 'west' }];
  for (const [serves, draining, has, may] of [
    [[{ ...east, identity: 'e' }, west], false, true, true],
    [[east, west], false, false, true],
    [[{ ...east, identity: 'other' }, west], false, false, false],
    [[{ ...east, unhealthy: true }, west], false, false, false],
    [[{ ...east, identity: 'e' }], false, false, false],
    [[east, west], true, false, false],
    [[{ ...east, terms: disabled }, west], false, false, false],
    [[], false, false, false],
  ] as const) {
    const brokers = new LiveBrokers(me);
    const other = aBroker({ host: 'b', serves: [...serves], ...(draining ? { draining } : {}) });
    brokers.renewed(me, [me, other]);
    t.deepEqual([brokers.hasAll(needed), brokers.mayHaveAll(needed)], [has, may], JSON.stringify(serves));
  }
});
