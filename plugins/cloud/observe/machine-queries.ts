import { isFault, type Call, type MachineRef, type ProviderFault, type Watched } from '../../../core/index.ts';
import { inTurn, packed, type RequestedValue } from './describe.ts';
import { byExactId } from './by-exact-id.ts';
import { partialDescribe, type PartialAnswer } from './partial-describe.ts';
import { zoneOf } from './liveness/liveness-check.ts';
import type { InstanceSummary } from '../connection/answers/instance-summary.ts';
import { eachInTurns } from '../connection/answers/in-turns.ts';
import type { CloudSession } from '../connection/session.ts';
import { ownTags } from '../template/tags.ts';

/** Describes machines in as few calls as possible, and keeps the results. */
export interface MachineQueries {
  /** Describes all machines of the requests of these attempts, by tag. */
  byRequest(watched: readonly Watched[]): Promise<void>;
  byId(machines: readonly MachineRef[]): Promise<void>;
  /** Describes machines by exact id that no list showed. */
  byExactId(machines: readonly MachineRef[]): Promise<void>;
  /** Ids that EC2 does not know, according to its errors. */
  readonly unknown: ReadonlySet<string>;
  readonly found: ReadonlyMap<string, InstanceSummary>;
  /** The fault because of which the state of an attempt is unknown. */
  faultOf(watched: Watched): ProviderFault | undefined;
  /** The fault because of which a requested machine that was not found is unknown: its zone did not answer. */
  outageOf(watched: Watched, machine: MachineRef): ProviderFault | undefined;
  /** Whether unknown machines of the attempt may be in a zone that did not answer. */
  mayHideMachines(watched: Watched): boolean;
}

export function machineQueries(session: CloudSession, call: Call): MachineQueries {
  const found = new Map<string, InstanceSummary>();
  const unknown = new Set<string>();
  // By request id or machine id, as requested.
  const faults = new Map<string, ProviderFault>();
  const partials = new Map<string, PartialAnswer>();

  async function ask(asked: readonly RequestedValue[], filter: string): Promise<void> {
    const packs = packed(asked);
    const answers = await inTurn(packs, (Values) =>
      partialDescribe(session, [{ Name: filter, Values }], (instance) => instance, call),
    );
    for (const [index, answer] of answers.entries()) {
      const values = packs[index] ?? [];
      if (answer.status === 'fulfilled') {
        await eachInTurns(
          answer.value.found,
          (instance) => instance.InstanceId && found.set(instance.InstanceId, instance),
        );
        if (answer.value.partial) for (const value of values) partials.set(value, answer.value.partial);
        continue;
      }
      if (!isFault(answer.reason)) throw answer.reason;
      for (const value of values) faults.set(value, answer.reason);
    }
  }

  return {
    found,
    unknown,
    async byRequest(watched) {
      const requests = new Map<string, number>();
      for (const { order, known } of watched)
        requests.set(order.request_id, (requests.get(order.request_id) ?? 0) + (known.length || order.machine_count));
      await ask(
        [...requests].map(([value, machines]) => ({ value, machines })),
        `tag:${ownTags.request}`,
      );
    },
    async byId(machines) {
      await ask(
        [...new Set(machines.map(({ machine_id }) => machine_id))].map((value) => ({ value, machines: 1 })),
        'instance-id',
      );
    },
    async byExactId(machines) {
      const named = await byExactId(session, machines, call);
      for (const instance of named.found) if (instance.InstanceId) found.set(instance.InstanceId, instance);
      for (const id of named.unknown) unknown.add(id);
    },
    faultOf: ({ order, known }) =>
      faults.get(order.request_id) ??
      known.map(({ machine_id }) => faults.get(machine_id)).find((one) => one !== undefined),
    outageOf({ order }, machine) {
      const silent = [partials.get(order.request_id), partials.get(machine.machine_id)];
      return silent.find((partial) => partial && !partial.answered.has(zoneOf(machine)))?.fault;
    },
    mayHideMachines: ({ order }) => partials.has(order.request_id),
  };
}
