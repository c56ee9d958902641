import test, { type ExecutionContext } from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const fault =
  (kind: ConstructorParameters<typeof ProviderFault>[0], code: string, message: string, offer?: string) => () =>
    new ProviderFault(kind, message, { code, ...(offer === undefined ? {} : { offer }) });

interface Case {
  readonly cloud?: () => ScriptedCloud;
  /** Plays the situation, and returns the request. */
  play(bench: LoopBench, east: ScriptedCloud): Promise<string>;
  readonly sentence: string;
}

/** A request whose machines are ready. */
async function delivered(bench: LoopBench, east: ScriptedCloud, count: number): Promise<string> {
  const id = await bench.request(count);
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(5_000);
  return id;
}

const situations: Readonly<Record<string, Case>> = {
  'no offer has capacity, and the request ends': {
    cloud: () => new ScriptedCloud({ offers_per_launch: 'one' }, [{ key: 'a' }, { key: 'b' }]),
    async play(bench, east) {
      for (const offer of ['a', 'b', 'a', 'b']) east.scripts.push(fault('capacity', 'ICE', 'No room.', offer));
      const id = await bench.request(3);
      await bench.clock.advance(40_000);
      return id;
    },
    sentence: "None of 3 machines was delivered: 'east' had no capacity for any of 2 offers (ICE).",
  },
  'the credentials are refused': {
    async play(bench, east) {
      for (let i = 0; i < 9; i++) east.scripts.push(fault('credentials', 'RequestExpired', 'Request has expired.'));
      const id = await bench.request(2);
      await bench.clock.advance(5_000);
      return id;
    },
    sentence: "None of 2 machines was delivered: the credentials of 'east' were refused (RequestExpired).",
  },
  'the launch template is missing': {
    async play(bench, east) {
      east.scripts.push(
        fault('invalid', 'InvalidLaunchTemplateId.NotFound', "The launch template 'lt-1' does not exist."),
      );
      const id = await bench.request(2);
      await bench.clock.advance(5_000);
      return id;
    },
    sentence:
      "None of 2 machines was delivered: 'east' refused the order (InvalidLaunchTemplateId.NotFound): The launch template 'lt-1' does not exist.",
  },
  'the cloud cannot be reached': {
    async play(bench, east) {
      for (let i = 0; i < 20; i++)
        east.scripts.push(fault('unavailable', 'ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.1:443.'));
      const id = await bench.request(2);
      await bench.clock.advance(3_000);
      return id;
    },
    sentence:
      "'east' did not carry out the order (ECONNREFUSED): connect ECONNREFUSED 10.0.0.1:443, 3 times so far; the same order of 2 machines is sent again.",
  },
  'a machine is returned before all are ready': {
    async play(bench, east) {
      const id = await bench.request(3);
      await bench.clock.advance(2_000);
      east.boot('m-1');
      await bench.clock.advance(3_000);
      await bench.requestService.returnMachines(['m-1'], 600);
      await bench.clock.advance(10_000);
      return id;
    },
    sentence: "2 of 2 machines at 'east' were started and are not ready yet; 1 of 3 was returned early.",
  },
  'a machine is lost while others start, and another one is ordered': {
    async play(bench, east) {
      const id = await bench.request(2);
      await bench.clock.advance(2_000);
      east.kill('m-1');
      await bench.clock.advance(5_000);
      return id;
    },
    sentence: "2 of 2 machines at 'east' were started and are not ready yet; 1 was lost before.",
  },
  'machines are lost after the delivery': {
    async play(bench, east) {
      const id = await delivered(bench, east, 3);
      east.kill('m-1');
      east.kill('m-2');
      await bench.clock.advance(60_000);
      return id;
    },
    sentence: "All 3 machines were delivered by 'east'; since then 2 were lost outside muster.",
  },
  'the cloud takes a machine back': {
    async play(bench, east) {
      const id = await delivered(bench, east, 2);
      const machine = east.machines.get('m-1');
      if (machine)
        machine.report = {
          ...machine.report,
          reclaim_at: new Date(bench.clock.now() + 120_000).toISOString(),
        } as never;
      await bench.clock.advance(60_000);
      east.kill('m-1');
      await bench.clock.advance(60_000);
      return id;
    },
    sentence: "All 2 machines were delivered by 'east'; since then the cloud reclaimed 1.",
  },
  'it is cancelled half-way': {
    async play(bench, east) {
      const id = await bench.request(3);
      await bench.clock.advance(2_000);
      east.boot('m-1');
      await bench.clock.advance(3_000);
      await bench.requestCommands.cancel(id, 'enough');
      await bench.clock.advance(30_000);
      return id;
    },
    sentence: 'The request was cancelled ("enough") after 1 of 3 machines had been delivered.',
  },
  'a part is accepted': {
    cloud: () => new ScriptedCloud({}, [{ key: 'a' }]),
    async play(bench, east) {
      east.scripts.push((order, cloud) => ({
        ...cloud.start(order, 2),
        shortfall: [{ offer: 'a', kind: 'capacity', code: 'ICE', message: 'No room.', count: 1 }],
      }));
      for (let i = 0; i < 9; i++) east.scripts.push(fault('capacity', 'ICE', 'No room.', 'a'));
      const id = await bench.request(3);
      await bench.clock.advance(2_000);
      east.boot();
      await bench.clock.advance(60_000);
      return id;
    },
    sentence: "2 of 3 machines were delivered: 'east' had no capacity for 'a' (ICE).",
  },
};

async function told(t: ExecutionContext, { cloud = () => new ScriptedCloud(), play }: Case): Promise<string> {
  const east = cloud();
  const bench = await loopBench({ east });
  t.teardown(() => bench.close());
  return (await bench.explain(await play(bench, east))).because;
}

for (const [name, each] of Object.entries(situations))
  test(`because, on the loop: ${name}`, async (t) => {
    // How often it was tried by then depends on what else the process does.
    const often = / \d+ times so far/;
    t.is((await told(t, each)).replace(often, ''), each.sentence.replace(often, ''));
  });
