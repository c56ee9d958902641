// Whoever calls whatever in whatever weather: the cloud never fails by itself, repeats itself by its seed, and can be
// emptied.
import test from 'ava';
import { scenarios } from '../../../plugins/cloud-simulator/knobs/scenarios.ts';
import { emptyCloud, openWorkload, work } from './workload-support.ts';
import { variants } from '../../support/variants.ts';

for (const name of variants(Object.keys(scenarios).toReversed(), 4)) {
  test(`in the scenario ${name} five minutes of any calls are answered, come out the same again, and leave nothing for good`, async (t) => {
    const drive = async () => {
      const workload = await openWorkload(t, name);
      await work(workload, { seed: 23, rounds: 30, calls: 2 });
      return workload;
    };
    const [first, second] = [await drive(), await drive()];
    t.deepEqual(first.failures, []);
    const heard = ({ simulator }: typeof first) => simulator.audit().map(({ answered: _answered, ...entry }) => entry);
    t.deepEqual(heard(first), heard(second));

    first.simulator.setKnobs({ scenario: 'calm' });
    await emptyCloud(first);
    const { launches: _launches, machine_seconds: _seconds, ...left } = first.simulator.ledger();
    t.deepEqual(left, { live: {}, untagged: [], fleets: [], spot_fleets: [], groups: [], templates: [] });
    t.deepEqual(first.failures, []);
  });
}
