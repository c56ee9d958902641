import { limitedTests } from '../../support/limited-tests.ts';
import { openWithQueue, poolOf, quick, ways } from './interruption-support.ts';

const test = limitedTests(3);

/** Actions that end machines. */
const ending = ['TerminateInstances', 'TerminateInstanceInAutoScalingGroup'];

for (const way of ways)
  for (const terminate_on_reclaim of [false, true])
    test(`${Object.values(way).join(' ')}: a returned machine of which only a notice said that it is reclaimed is ${terminate_on_reclaim ? 'terminated' : 'left to the cloud'}`, async (t) => {
      const { simulator, call, order, reclaimed, until, left } = await openWithQueue(t, quick, {
        ...poolOf(way),
        config: { terminate_on_reclaim },
      });
      const { id, ids } = await order('pool', 3);
      await until(async () => left() === 0);
      const [victim = '', other = '', stays = ''] = ids;
      simulator.setKnobs({ reclaim: [{ instance_ids: [victim], notice_s: 120 }] });
      await until(async () => (await reclaimed([victim])).length === 1);
      const live = () => simulator.ledger().live[id] ?? [];
      await call('POST', '/machines/return', { machine_ids: [victim, other] });
      await until(async () => !live().includes(other));
      if (terminate_on_reclaim) {
        await until(async () => !live().includes(victim));
        t.deepEqual(live(), [stays]);
        return;
      }
      const named = simulator
        .audit()
        .some(({ action, ids: touched }) => ending.includes(action) && touched.includes(victim));
      t.false(named);
      t.deepEqual(live().toSorted(), [victim, stays].toSorted());
      simulator.advance(121_000);
      await until(async () => !live().includes(victim));
      t.deepEqual(live(), [stays]);
    });
