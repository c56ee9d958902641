import test from 'ava';
import { silentLog } from '../../../core/index.ts';
import { HealthWatch } from '../../../core/lifecycle/act/health-watch.ts';
import { Facts } from '../../../core/providers/facts.ts';
import type { SessionPool } from '../../../core/providers/session-pool.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryDriver } from '../../support/memory-driver.ts';

async function bench() {
  const clock = new FakeClock();
  const store = await memoryDriver().open({}, { clock, log: silentLog });
  const facts = new Facts(store, clock);
  const health = new HealthWatch(facts, clock, silentLog);
  const pool = { connect: async () => ({ session: {}, type: { type: 'fake' } }) } as unknown as SessionPool;
  const check = () => health.check([{ name: 'east' } as never], pool, new AbortController().signal);
  return { clock, health, check, healthy: () => facts.health('east').healthy };
}

test('an instance whose plugin broke its contract in one verb is unhealthy until that verb is answered well, whatever else is', async (t) => {
  const { health, healthy } = await bench();
  health.misbehaved('east', 'launch', 'no handle');
  health.up('east');
  health.behaved('east', 'observe', true);
  t.false(healthy());
  health.behaved('east', 'launch', true);
  t.true(healthy());
});

test('where nothing calls it, a check that succeeds gives it another chance, the later the more often that was for nothing', async (t) => {
  const { clock, health, check, healthy } = await bench();
  for (const seconds of [30, 60, 120, 240, 300]) {
    health.misbehaved('east', 'launch', 'no handle');
    await clock.advance(seconds * 1_000 - 1);
    await check();
    t.false(healthy(), `${seconds} s are not over`);
    await clock.advance(1);
    await check();
    t.true(healthy(), `after ${seconds} s`);
  }
});
