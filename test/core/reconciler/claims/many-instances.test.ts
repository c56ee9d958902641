import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

test('a request with more instances than a commit has rows ends', async (t) => {
  const clouds = Array.from({ length: 25 }, (_, i) => [`cloud-${i}`, new ScriptedCloud()] as const);
  for (const [, cloud] of clouds) cloud.scripts.push(() => new ProviderFault('quota', 'No more.'));
  const bench = await loopBench(Object.fromEntries(clouds), { rows_per_commit: 20 });
  const id = await bench.request(1);
  await bench.clock.advance(60_000);
  t.is((await bench.status(id)).request.status, 'failed');
  t.is((await bench.store.find('fact', { where: { topic: 'statistics' } })).length, 25);
  await bench.close();
});
