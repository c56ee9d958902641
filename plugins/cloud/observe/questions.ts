import { isFault, type Call, type MachineRef, type ProviderFault, type Watched } from '../../../core/index.ts';
import { inTurn, packed, type Asked } from './describe.ts';
import { byExactId } from './by-exact-id.ts';
import { partialDescribe, type PartialAnswer } from './partial-describe.ts';
import { zoneOf } from './liveness/liveness-check.ts';
import { seenMachine, type SeenMachine } from './machines.ts';
import { eachInTurns } from '../connection/answers/in-turns.ts';
import type { CloudSession } from '../connection/session.ts';
import { ownTags } from '../template/tags.ts';

/** Asks for machines in as few questions as possible, and keeps what was said. */
export interface Questions {
  /** All machines of these attempts' requests, by tag. */
  byRequest(watched: readonly Watched[]): Promise<void>;
  byId(machines: readonly MachineRef[]): Promise<void>;
  /** Machines that no list showed: what EC2 says when they are named to it. */
  byExactId(machines: readonly MachineRef[]): Promise<void>;
  /** Machines of which EC2 said, by their ids, that it does not know them. */
  readonly unknown: ReadonlySet<string>;
  readonly found: ReadonlyMap<string, SeenMachine>;
  /** Why it is not known how an attempt stands. */
  faultOf(watched: Watched): ProviderFault | undefined;
  /** Why nothing is known of a machine that was asked for and not found: its zone did not answer. */
  silenceOf(watched: Watched, machine: MachineRef): ProviderFault | undefined;
  /** Machines of the attempt that nobody knows yet may be in a zone that did not answer. */
  mayHideMachines(watched: Watched): boolean;
}

export function questions(session: CloudSession, call: Call): Questions {
  const found = new Map<string, SeenMachine>();
  const unknown = new Set<string>();
  // By request or machine: what was asked for.
  const faults = new Map<string, ProviderFault>();
  const partials = new Map<string, PartialAnswer>();

  async function ask(asked: readonly Asked[], filter: string): Promise<void> {
    const packs = packed(asked);
    const answers = await inTurn(packs, (Values) =>
      partialDescribe(session, [{ Name: filter, Values }], seenMachine, call),
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
      for (const instance of named.found)
        if (instance.InstanceId) found.set(instance.InstanceId, seenMachine(instance));
      for (const id of named.unknown) unknown.add(id);
    },
    faultOf: ({ order, known }) =>
      faults.get(order.request_id) ??
      known.map(({ machine_id }) => faults.get(machine_id)).find((one) => one !== undefined),
    silenceOf({ order }, machine) {
      const silent = [partials.get(order.request_id), partials.get(machine.machine_id)];
      return silent.find((partial) => partial && !partial.answered.has(zoneOf(machine)))?.fault;
    },
    mayHideMachines: ({ order }) => partials.has(order.request_id),
  };
}
