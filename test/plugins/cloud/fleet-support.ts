import {
  isFault,
  type ReleaseTarget,
  type Clock,
  type LaunchOrder,
  type MachineRef,
  type MachineReport,
  type Observation,
  type ProviderApi,
} from '../../../core/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { standingClock } from '../../../plugins/cloud-simulator/clock.ts';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { spotFleet } from '../../../plugins/cloud-spotfleet/index.ts';
import { prepared, stage, type Stage } from './support.ts';

/** An API with a type of standing fleet. */
export interface Way {
  readonly name: string;
  readonly api: ProviderApi;
  readonly fleet_type: 'request' | 'maintain';
  /** Actions that make, change and stop its fleets. */
  readonly make: string;
  readonly modify: string;
  readonly stop: string;
}

const ec2 = { api: ec2Fleet as ProviderApi, make: 'CreateFleet', modify: 'ModifyFleet', stop: 'DeleteFleets' };
const spot = {
  api: spotFleet as ProviderApi,
  make: 'RequestSpotFleet',
  modify: 'ModifySpotFleetRequest',
  stop: 'CancelSpotFleetRequests',
};

export const ways: readonly Way[] = (['request', 'maintain'] as const).flatMap((fleet_type) => [
  { name: `EC2Fleet ${fleet_type}`, fleet_type, ...ec2 },
  { name: `SpotFleet ${fleet_type}`, fleet_type, ...spot },
]);
export const maintaining = ways.filter((way) => way.fleet_type === 'maintain');

export const twoTypes = {
  template_id: 't',
  machine_types: { 'm5.large': 1, 'c5.large': 1 },
  subnet_ids: ['subnet-1'],
  price_type: 'spot',
};

/** A fleet in a cloud whose time stands still until a test moves it. */
export interface FleetStage extends Stage {
  readonly order: LaunchOrder<any, any>;
  /** As the core would store it. */
  handle: object;
  /** Running and pending machines of the order. */
  live(): string[];
  launch(): Promise<void>;
  /** One observation with the known machines, as in the core. Throws a fault. */
  observe(): Promise<Observation>;
  /** Looks every two seconds until the fleet is settled; throws after ten minutes. */
  settle(): Promise<Observation>;
  /** References of machines, of all alive ones by default. */
  refs(...ids: readonly string[]): MachineRef[];
  /**
   * Says the aim until it is done, two seconds or `again_ms` apart; faults are met with the next call. How often it
   * was said.
   */
  release(aim: ReleaseTarget): Promise<number>;
  /** Disposes until it is done. */
  dispose(): Promise<void>;
}

export async function fleetStage(
  way: Way,
  machine_count: number,
  template: object = twoTypes,
  knobs: KnobChange = {},
): Promise<FleetStage> {
  const clock = standingClock();
  const still: Clock = { now: () => clock.now(), monotonic: () => clock.now(), sleep: async () => {} };
  const cloud = await stage({}, { clock: still }, { clock, knobs: { boot_ms: 1_000, shutdown_ms: 1_000, ...knobs } });
  const { api, fleet_type } = way;
  const order = await prepared(api, cloud, { machine_count, template: { fleet_type, ...template } as any });
  let known = new Map<string, MachineReport>();
  const here: FleetStage = {
    ...cloud,
    order,
    handle: {},
    live: () => (cloud.simulator.ledger().live[order.request_id] ?? []).toSorted(),
    async launch() {
      const launch = await api.launch(cloud.session, order, cloud.call);
      if (launch.settled) throw new Error('A standing fleet is not settled at its launch.');
      here.handle = JSON.parse(JSON.stringify(launch.handle));
    },
    async observe() {
      const alive = here.refs();
      const [seen] = await api.observe(cloud.session, [{ handle: here.handle, order, known: alive }], cloud.call);
      if (!seen || isFault(seen)) throw seen;
      known = new Map([...known, ...seen.machines.map((machine) => [machine.machine_id, machine] as const)]);
      if (seen.handle) here.handle = JSON.parse(JSON.stringify(seen.handle));
      return seen;
    },
    async settle() {
      for (let i = 0; i < 300; i++) {
        const seen = await here.observe();
        if (seen.settled) return seen;
        cloud.simulator.advance(2_000);
      }
      throw new Error('The fleet did not settle.');
    },
    refs(...ids) {
      return [...known.values()].flatMap(({ machine_id, status, launched_at, data }) =>
        status === 'terminated' || (ids.length > 0 && !ids.includes(machine_id))
          ? []
          : [{ machine_id, status, ...(launched_at ? { launched_at } : {}), ...(data ? { data } : {}) }],
      );
    },
    async release(aim) {
      for (let i = 1; i < 200; i++) {
        const progress = await api.release(cloud.session, here.handle, aim, cloud.call).catch((error: unknown) => {
          if (!isFault(error)) throw error;
          return { done: false, again_ms: 2_000 };
        });
        if (progress.done) return i;
        cloud.simulator.advance(progress.again_ms ?? 2_000);
      }
      throw new Error('The release is never done.');
    },
    async dispose() {
      for (let i = 0; i < 200; i++) {
        const progress = await api.dispose?.(cloud.session, { order, handle: here.handle }, cloud.call);
        if (progress?.done) return;
        cloud.simulator.advance(progress?.again_ms ?? 2_000);
      }
      throw new Error('The disposal is never done.');
    },
  };
  return here;
}
