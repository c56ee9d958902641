import test from 'ava';
import { ProviderFault, type MachineType, type Template } from '../../../../core/index.ts';
import { ProviderDirectory } from '../../../../core/providers/directory.ts';
import { Facts } from '../../../../core/providers/facts.ts';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud, scriptedType } from '../../../support/scripted-cloud.ts';

const large: MachineType = { name: 'large', vcpus: 8, cores: 4, memory_mib: 16_384, arch: 'x86_64' };

/** The facts of another process, read from the store. */
async function elsewhere({ store, clock }: LoopBench) {
  const facts = new Facts(store, clock);
  await facts.follow();
  return facts;
}

test('places and machine types of a cloud are learned after its first use and known to other processes', async (t) => {
  const east = new ScriptedCloud();
  east.types = [large];
  const bench = await loopBench({ east });
  await bench.clock.advance(30_000);
  t.is(east.discoveries, 0, 'nothing was ordered: the cloud is left alone');
  await bench.request(1);
  await bench.clock.advance(5_000);
  t.is(east.discoveries, 0, 'requests come first');
  await bench.clock.advance(10_000);
  t.is(east.discoveries, 1);
  const facts = await elsewhere(bench);
  t.deepEqual(facts.machineType('east', 'large'), large);
  t.is(facts.machineType('east', 'small'), undefined);
  t.deepEqual(facts.places('east'), { regions: ['here'], availability_zones: ['here-a'] });
  const instance = {
    name: 'east',
    type: 'scripted',
    priority: 1,
    weight: 1,
    config: {},
    template_defaults: {},
  } as any;
  const directory = new ProviderDirectory([instance], [scriptedType], [], facts);
  t.deepEqual(directory.machineTypeOf({ template_id: 'x', machine_type: 'large' } as Template), large);
  facts[Symbol.dispose]();
  await bench.close();
});

test('discovery is repeated after a day, also across a restart', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east }, { discovery_ms: 120_000 });
  await bench.request(1);
  east.boot();
  await bench.clock.advance(15_000);
  t.is(east.discoveries, 1);
  await bench.restart();
  await bench.clock.advance(60_000);
  t.is(east.discoveries, 1);
  east.types = [large];
  await bench.clock.advance(60_000);
  t.is(east.discoveries, 2);
  const facts = await elsewhere(bench);
  t.deepEqual(facts.machineType('east', 'large'), large);
  facts[Symbol.dispose]();
  await bench.close();
});

test('a failed discovery is retried later, and the known facts stay', async (t) => {
  const east = new ScriptedCloud();
  east.types = [large];
  const bench = await loopBench({ east }, { discovery_ms: 60_000 });
  await bench.request(1);
  east.boot();
  await bench.clock.advance(15_000);
  east.types = new ProviderFault('unavailable', 'Not now.');
  await bench.clock.advance(660_000);
  t.is(east.discoveries, 2);
  const facts = await elsewhere(bench);
  t.deepEqual(facts.machineType('east', 'large'), large);
  east.types = [];
  await bench.clock.advance(610_000);
  t.is(east.discoveries, 3);
  facts[Symbol.dispose]();
  await bench.close();
});

test('a running process learns the facts of a later discovery', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const facts = await elsewhere(bench);
  east.types = [large];
  await bench.request(1);
  await bench.clock.advance(20_000);
  await bench.clock.advance(2_000);
  t.deepEqual(facts.machineType('east', 'large'), large);
  facts[Symbol.dispose]();
  await bench.close();
});
