import type { BootedBroker } from '../../support/boot-broker.ts';
import type { Found } from './calls.ts';

/** Creates the resources of so many interfaces. Returns those of each, by its index. */
export async function prepare(
  broker: BootedBroker,
  interfaces: number,
  slowEach: number,
): Promise<(index: number) => Found> {
  const ask = async (machine_count: number): Promise<string> =>
    (await broker.call('POST', '/machines/request', { template_id: 'small', machine_count, lease: 36_000 })).body
      .request_id;
  const machinesOf = (request_id: string, status: string): Promise<string[]> =>
    broker.until(async () => {
      const { body } = await broker.call('GET', `/requests/${request_id}`);
      return body.status === status && body.machines.length > 0 && body.machines.map((each: any) => each.machine_id);
    });
  const [shared, pool] = [await ask(2), await ask(interfaces)];
  const [machine_ids, mine] = [await machinesOf(shared, 'completed'), await machinesOf(pool, 'completed')];
  broker.simulator.setKnobs({ boot_ms: 3_600_000 });
  const slow: string[] = [];
  for (let i = 0; i < interfaces * slowEach; i += 1) slow.push(await ask(1));
  for (const request_id of slow) await machinesOf(request_id, 'in_progress');
  return (index) => ({
    own: `interface-${index}`,
    request_id: shared,
    machine_ids,
    mine: mine[index] ?? '',
    slow: () => slow.pop() ?? '',
  });
}
