import { Type } from 'typebox';
import {
  defineProviderApi,
  defineProviderType,
  ProviderFault,
  type Call,
  type MachineRef,
  type MachineReport,
  type Offer,
  type OwnedResource,
  type ProviderApi,
  type ProviderType,
} from '../../core/index.ts';
import type { Cloud } from './cloud.ts';
import type { Life, Trap } from './life.ts';
import { toldNames } from './names.ts';
import type { Setup } from './setup.ts';
import type { Time } from './time.ts';

const config = Type.Object({ cloud: Type.String() });
const lateMs = 6_000;
const receiveMs = 20_000;
const receivedAtOnce = 200;

/**
 * The provider type and the API by which one life speaks to the clouds: each call may be where the life is cut short.
 */
export function providerOf(
  { api: setup, templates, names }: Setup,
  clouds: readonly Cloud[],
  life: Life,
  time: Time,
): { readonly type: ProviderType<any, any>; readonly api: ProviderApi } {
  const { call_ms, calls_vary = false } = setup;
  let travelled = 0;

  /** A call that crosses the wire: what it does there happens whatever becomes of its sender. */
  async function cross<T>(
    cloud: Cloud,
    on: Trap['on'],
    call: Call | undefined,
    run: (late?: boolean) => T,
  ): Promise<T> {
    time.busy += 1;
    await life.gate();
    call?.fence();
    if (time.now < cloud.refusesUntil) throw new ProviderFault('unavailable', `'${cloud.name}' refuses connections.`);
    const where = life.comesTo(on, 'before');
    // A release that arrives late is only what an API says that it may.
    const caught =
      where === 'late' && on === 'release' && setup.kind !== 'plain' && setup.late_release_ms < lateMs ? 'yes' : where;
    if (caught === 'late') time.after(lateMs, () => quietly(() => run(true)));
    if (caught === 'yes') quietly(run);
    if (caught !== undefined) {
      await life.gate();
      throw new ProviderFault('unknown-outcome', 'The answer was lost with its reader.');
    }
    const answer = call_ms === 0 ? outcomeOf(run) : await travel(call, run);
    life.comesTo(on, 'after');
    await life.gate();
    if ('error' in answer) throw answer.error;
    return answer.value;
  }

  /** It is carried out half way between question and answer. */
  function travel<T>(call: Call | undefined, run: () => T): Promise<Outcome<T>> {
    const lasts = calls_vary ? call_ms * 4 ** ((travelled++ % 3) - 1) : call_ms;
    return new Promise((resolve) => {
      time.after(lasts / 2, () => {
        const outcome = outcomeOf(run);
        time.after(lasts / 2, () => resolve(outcome));
      });
      call?.signal.addEventListener('abort', () => resolve({ error: call.signal.reason }), { once: true });
    });
  }

  const type = defineProviderType({
    type: 'modelled',
    config,
    connect({ cloud: name }): Cloud {
      const cloud = clouds.find((each) => each.name === name);
      if (!cloud) throw new Error(`There is no cloud '${name}'.`);
      return cloud;
    },
    identity: async (cloud) => cross(cloud, 'read', undefined, () => cloud.name),
    check: async (cloud) => cross(cloud, 'read', undefined, () => undefined),
    async *owned(cloud) {
      const window = cloud.listing && time.now < cloud.listing.until ? cloud.listing.mood : undefined;
      if (window === 'fails') throw new ProviderFault('unavailable', 'The list fails.');
      if (window !== 'empty') yield* cloud.live().flatMap((machine) => resourceOf(cloud, machine));
    },
    notices: {
      configured: () => templates.some(({ on_rebalance }) => on_rebalance === 'replace'),
      async receive(cloud, call) {
        const received = () => cross(cloud, 'read', undefined, () => cloud.messages.slice(0, receivedAtOnce));
        const waiting = await received();
        if (waiting.length > 0) return waiting;
        await Promise.race([cloud.arrival(call.signal), new Promise<void>((go) => time.after(receiveMs, go))]);
        return received();
      },
      acknowledge: async (cloud, receipts) => cross(cloud, 'read', undefined, () => cloud.forget(receipts)),
    },
    remove: async (cloud, orphans, call) =>
      cross(cloud, 'remove', call, () => {
        for (const { id } of orphans) {
          const machine = cloud.machines.get(id);
          if (machine) cloud.end(machine, 'sweep');
        }
      }),
  });

  const resourceOf = (cloud: Cloud, machine: ReturnType<Cloud['live']>[number]): OwnedResource[] => {
    const report: MachineReport | undefined = cloud.listed(machine);
    const { id, request_id, attempt } = machine;
    const created_at = new Date(time.trueWall() - time.now + machine.born).toISOString();
    return report ? [{ kind: 'machine', id, request_id, attempt, created_at, machine: report }] : [];
  };

  const api = defineProviderApi<Cloud>()({
    type: 'modelled',
    name: 'Modelled',
    capabilities: {
      supports_spot: false,
      supports_on_demand: true,
      max_instances: 10_000,
      supported_fleet_types: [],
      machines_per_launch: setup.machines_per_launch,
      offers_per_launch: setup.offers_per_launch,
      visible_within_ms: setup.visible_within_ms,
      token_valid_ms: setup.token_valid_ms,
      late_release_ms: setup.kind === 'plain' ? 0 : setup.late_release_ms,
    },
    ...(setup.offers > 0
      ? {
          offers: () => Array.from({ length: setup.offers }, (_, index) => ({ key: `pool-${index}` })),
          offersOfMachine: ({ data }: MachineRef, offers: readonly Offer[]) =>
            offers.filter(({ key }) => key === (data as { offer?: string } | undefined)?.offer),
        }
      : {}),
    ...(setup.prepares
      ? {
          prepare: async (cloud: Cloud, order: { token: string }, call: Call) =>
            cross(cloud, 'prepare', call, () => ({ for: order.token })),
        }
      : {}),
    launch: async (cloud, order, call) =>
      cross(cloud, 'launch', call, (late) => {
        const launch = cloud.launch(order, late);
        return names === 'told' && launch.machines
          ? { ...launch, machines: toldNames(cloud, order, launch.machines) }
          : launch;
      }),
    observe: async (cloud, watched, call) =>
      cross(cloud, 'observe', { ...call, fence: () => undefined }, () => {
        const mood = cloud.observing && time.now < cloud.observing.until ? cloud.observing.mood : undefined;
        const fault = new ProviderFault('unavailable', 'It cannot be said.');
        if (mood === 'fails') throw fault;
        return watched.map(({ handle, order }, index) => {
          if (mood === 'faults' && index % 2 === 0) return fault;
          const seen = cloud.observe(handle.token);
          if (names !== 'told' || seen instanceof ProviderFault) return seen;
          return { ...seen, machines: toldNames(cloud, order, seen.machines) };
        });
      }),
    release: async (cloud, handle, aim, call) => cross(cloud, 'release', call, () => cloud.release(handle.token, aim)),
    ...(setup.finds
      ? {
          find: async (cloud: Cloud, order: { token: string }, call: Call) =>
            cross(cloud, 'read', call, () => cloud.find(order.token)),
        }
      : {}),
    ...(setup.disposes
      ? {
          dispose: async (cloud: Cloud, { order }: { order: { token: string } }, call: Call) =>
            cross(cloud, 'dispose', call, () => {
              cloud.dispose(order.token);
              return { done: true };
            }),
        }
      : {}),
    ...(setup.kind === 'plain'
      ? {}
      : {
          async *owned(cloud: Cloud): AsyncGenerator<OwnedResource> {
            for (const [id, { order, deleted }] of cloud.fleets)
              if (!deleted) yield { kind: 'container', id, request_id: order.request_id, attempt: order.attempt };
          },
          remove: async (cloud: Cloud, orphans: readonly OwnedResource[], call: Call) =>
            cross(cloud, 'remove', call, () => {
              for (const { id } of orphans) cloud.dispose(id);
            }),
        }),
  });
  return { type, api: api as unknown as ProviderApi };
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

function outcomeOf<T>(run: () => T): Outcome<T> {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}

/** Nobody hears of it any more. */
function quietly(run: () => unknown): void {
  outcomeOf(run);
}
