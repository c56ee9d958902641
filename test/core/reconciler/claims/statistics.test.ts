import test from 'ava';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const key = { topic: 'statistics', name: 'east', item: '' };

test('statistics keep the numbers that another loop adds while a request ends', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const commit = bench.store.commit.bind(bench.store);
  bench.store.commit = async (changes) => {
    const ends = changes.some(
      (change) => 'kind' in change && change.kind === 'fact' && JSON.stringify(change).includes(key.topic),
    );
    if (ends) await commit([{ op: 'add', kind: 'fact', key, amounts: { total_requests: 1, answer_ms: 40 }, at: 1 }]);
    return commit(changes);
  };
  for (let i = 0; i < 20; i += 1) await bench.request(1);
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(5_000);
  const { value } = (await bench.store.get('fact', key)) ?? {};
  t.like(value, { total_requests: 40, successful_requests: 20, failed_requests: 0 });
  t.true(Number((value as { answer_ms: number }).answer_ms) >= 800);
  await bench.close();
});
