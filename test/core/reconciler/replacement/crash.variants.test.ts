import test from 'ava';
import { rebalanceBench } from './rebalance-bench.ts';
import { variants } from '../../../support/variants.ts';

/** The commits from the storing of a recommendation to the end of the replaced machine, and some more. */
const commits = Array.from({ length: 9 }, (_, index) => index + 1);

for (const commit of variants(commits, 3))
  test(`a broker that is killed before commit ${commit} after a recommendation leaves one replacement`, async (t) => {
    const { clock, east, completed, kill, status, stored } = await rebalanceBench(t);
    const id = await completed(2, { rebalance_drain: 5 });
    for (let i = 0; i < 5; i++)
      east.scripts.push((order, cloud) => {
        cloud.start(order);
        cloud.boot();
        return cloud.start(order);
      });
    const at = new Date(clock.now()).toISOString();
    east.messages = [{ receipt: 'r', notices: [{ machine_id: 'm-1', kind: 'rebalance', at }] }];
    await kill(commit);
    await clock.advance(120_000);
    t.deepEqual(east.live(id), ['m-2', 'm-3']);
    t.is(new Set(east.orders.map(({ token }) => token)).size, 2);
    t.like((await status(id)).request, { status: 'completed', delivered: 2, holds: 2 });
    t.like(await stored('m-1'), { going: 'replaced', replaced_by: { machine_id: 'm-3' } });
    t.truthy((await stored('m-3')).took_over_at);
  });
