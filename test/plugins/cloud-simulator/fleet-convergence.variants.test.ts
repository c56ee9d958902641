import test from 'ava';
import fc from 'fast-check';
import { deleteFleet, fleetTemplate, liveIds, liveMachines, modify, openFleet, terminate } from './fleet-support.ts';
import { openCloud } from './support.ts';
import { longTest, tries } from '../../support/variants.ts';

type Step =
  | { readonly do: 'terminate'; readonly which: number }
  | { readonly do: 'modify'; readonly total: number; readonly ends: boolean }
  | { readonly do: 'advance'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('terminate' as const), which: fc.nat(9) }),
  fc.record({ do: fc.constant('modify' as const), total: fc.integer({ min: 0, max: 8 }), ends: fc.boolean() }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(0, 100, 700, 1500, 4000, 60_000) }),
);

test('whatever is terminated and modified, a fleet that is left alone comes to its target', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: {
      fleets: { launch_ms: { min: 0, max: 3000 }, notice_ms: { min: 0, max: 6000 }, modify_ms: { min: 0, max: 2000 } },
    },
  });
  const template = await fleetTemplate(ec2);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 12 }), async (units, steps) => {
      const id = await openFleet(ec2, { units, template });
      let target = units;
      let mayEnd = true;
      for (const one of steps) {
        if (one.do === 'advance') simulator.advance(one.ms);
        else if (one.do === 'modify') {
          // Refused while the fleet is modifying: the target is then that of before.
          const changed = await modify(ec2, id, one.total, {
            ExcessCapacityTerminationPolicy: one.ends ? 'termination' : 'no-termination',
          }).then(
            () => true,
            () => false,
          );
          if (!changed) continue;
          target = one.total;
          mayEnd = one.ends;
        } else {
          const machines = await liveIds(ec2, id);
          if (machines.length > 0) await terminate(ec2, [machines[one.which % machines.length]]);
        }
      }
      simulator.advance(300_000);
      const machines = (await liveIds(ec2, id)).length;
      // Only a fleet that may not end machines keeps more than it should.
      t.true(mayEnd ? machines === target : machines >= target, `${machines} machines, target ${target}`);
      await modify(ec2, id, target, { ExcessCapacityTerminationPolicy: 'termination' });
      simulator.advance(300_000);
      t.is((await liveIds(ec2, id)).length, target);
      await deleteFleet(ec2, id, true);
    }),
    { numRuns: tries(15, 60), seed: 7 },
  );
});

test('no machine comes twice: what a fleet ever started is its target and what was lost', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: { fleets: { launch_ms: { min: 0, max: 5000 }, notice_ms: { min: 0, max: 5000 } } },
  });
  const id = await openFleet(ec2, { units: 20, token: 'one' });
  let lost = 0;
  for (let round = 0; round < 20; round++) {
    simulator.advance(1700);
    const machines = await liveIds(ec2, id);
    const gone = machines.slice(0, round % 4);
    if (gone.length > 0) await terminate(ec2, gone);
    lost += gone.length;
  }
  simulator.advance(60_000);
  t.is((await liveIds(ec2, id)).length, 20);
  t.deepEqual(simulator.ledger().launches, { one: 20 + lost });
});

longTest('an hour of a busy fleet takes no time: machines that fail at once, markets without capacity', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: { capacity: [{ market: 'spot', count: 50 }], late_failures: [{ times: null, after_ms: 30_000 }] },
  });
  const target = {
    TotalTargetCapacity: 200,
    OnDemandTargetCapacity: 100,
    SpotTargetCapacity: 100,
    DefaultTargetCapacityType: 'spot' as const,
  };
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push(await openFleet(ec2, { target }));
  const begin = performance.now();
  simulator.advance(3_600_000);
  const machines = await liveMachines(ec2, ids[0] ?? '');
  const took = performance.now() - begin;
  t.true(machines.length >= 100);
  t.true(took < 10_000, `${took} ms`);
});
