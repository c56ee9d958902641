import test from 'ava';
import { rateShare, usedShare } from '../../../core/brokers/rate-share.ts';
import type { BrokerRecord } from '../../../core/model/broker.ts';
import { aBroker } from '../../../plugin-testkit/storage/records.ts';

const at = (host: string, share?: number): BrokerRecord =>
  aBroker({
    host,
    serves: [{ name: 'east', type: 'cloud', identity: 'x', ...(share === undefined ? {} : { share }) }],
  });

test('brokers on one cloud have equal parts, and one that is alone has all', (t) => {
  t.is(rateShare('x', at('a'), [at('a')]), 1);
  t.is(usedShare('x', at('a'), [at('a')], undefined), 1, 'also before it told so');
  t.is(rateShare('x', at('a'), [at('a', 1 / 2), at('b', 1 / 2)]), 1 / 2);
  t.is(rateShare('x', at('a'), [at('a', 1), { ...at('b', 1), serves: [] }]), 1, 'the other one has another cloud');
  t.is(rateShare('x', at('a'), [at('a'), at('b'), at('c')]), 1 / 3, 'an older version tells no part');
});

test('the parts never sum to more than one while brokers join, die and leave, and become equal', (t) => {
  // Each broker knows the list of its last renewal, and tells its part with the next one.
  const told = new Map<string, number>();
  const known = new Map<string, readonly BrokerRecord[]>();
  const stored = () => [...told].map(([host, share]) => at(host, share));
  const renew = (host: string) => {
    told.set(host, known.has(host) ? rateShare('x', at(host), known.get(host) ?? []) : 0);
    known.set(host, stored());
  };
  const used = () => [...told.keys()].map((host) => usedShare('x', at(host), known.get(host) ?? [], told.get(host)));
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const settle = (hosts: readonly string[]) => {
    for (let turn = 0; turn < 4; turn++) for (const host of hosts) renew(host);
    for (const share of used()) t.true(Math.abs(share - 1 / hosts.length) < 1e-9, `${share} of ${hosts.length}`);
  };
  const check = () => {
    const sum = used().reduce((all, each) => all + each, 0);
    t.true(sum <= 1 + told.size / 50 + 1e-9, `${sum}`);
  };
  renew('a');
  for (const host of ['b', 'c', 'd']) {
    renew(host);
    check();
  }
  settle(['a', 'b', 'c', 'd']);
  for (let step = 0; step < 400; step++) {
    const hosts = [...told.keys()];
    const one = hosts[random(hosts.length)] as string;
    if (random(8) === 0 && hosts.length > 1) {
      told.delete(one);
      known.delete(one);
    } else if (random(8) === 0 && hosts.length < 6) renew(`n${step}`);
    else renew(one);
    check();
  }
  settle([...told.keys()]);
});
