import type { MachineRecord } from '../../model/machine.ts';
import type { SignalRecord } from '../../model/signal.ts';

/** How a machine stands when all waiting signals count as applied. */
export interface Stand {
  readonly machine: MachineRecord;
  /** Why the machine is no longer kept: the end of a sentence. Absent: it is kept. */
  readonly released?: string;
  /** Why no lease can be extended. Absent: the lease ends at `expires_at`. */
  readonly unleased?: string;
  readonly expires_at?: number;
  /** Until when the machine is held, and why. Absent: it is not. */
  readonly hold?: { readonly until: number; readonly reason: string };
}

/** Pure. `signals`: the waiting ones, also of other machines; read before the machine. */
export function standOf(machine: MachineRecord, signals: readonly SignalRecord[]): Stand {
  const mine = signals.filter(
    ({ kind, request_id, machines }) =>
      request_id === machine.request_id &&
      (kind === 'cancel' ||
        machines.some(
          (key) => key.machine_id === machine.machine_id && key.provider_instance === machine.provider_instance,
        )),
  );
  const released = releasedOf(machine, mine);
  const unleased = unleasedOf(machine);
  const hold = holdOf(machine, mine);
  const added = mine.filter(
    ({ kind, signal_id }) => kind === 'extend' && machine.extended_by?.includes(signal_id) !== true,
  );
  const seconds = added.reduce((sum, signal) => sum + (signal.seconds ?? 0), 0);
  return {
    machine,
    ...(released === undefined ? {} : { released }),
    ...(unleased === undefined ? {} : { unleased }),
    ...(machine.expires_at === undefined ? {} : { expires_at: machine.expires_at + seconds * 1000 }),
    ...(hold === undefined ? {} : { hold }),
  };
}

function releasedOf(machine: MachineRecord, signals: readonly SignalRecord[]): string | undefined {
  const { gone_at, going, expired_at, status } = machine;
  if (gone_at !== undefined) return `is gone (${status})`;
  if (expired_at !== undefined) return 'is being released, because its lease ended';
  if (going !== undefined) return `is being released (${going})`;
  if (signals.some(({ kind }) => kind === 'cancel')) return 'is being released, because its request is cancelled';
  const back = signals.find(({ kind }) => kind === 'return');
  if (back === undefined) return undefined;
  return back.expired ? 'is being released, because its lease ended' : 'is being returned';
}

function unleasedOf({ expires_at, ready_at, replaced_by }: MachineRecord): string | undefined {
  if (replaced_by !== undefined) return `was replaced by '${replaced_by.machine_id}', which has its lease`;
  if (expires_at !== undefined) return undefined;
  return ready_at === undefined ? 'is not ready yet, and a lease begins with that' : 'has no lease';
}

/** The last hold counts. */
function holdOf(machine: MachineRecord, signals: readonly SignalRecord[]): Stand['hold'] {
  const { hold_terms = 0, held_until, hold_reason = '' } = machine;
  const [last] = signals
    .filter(({ kind, terms = 0 }) => kind === 'hold' && terms > hold_terms)
    .toSorted((a, b) => (b.terms ?? 0) - (a.terms ?? 0));
  if (!last) return held_until === undefined ? undefined : { until: held_until, reason: hold_reason };
  const { seconds = 0, created_at, reason = '' } = last;
  return seconds === 0 ? undefined : { until: created_at + seconds * 1000, reason };
}
