import { newEvent } from '../contract/commits/new-event.ts';
import { chunks } from '../collections/chunks.ts';
import { newReturnId, newSignalId } from '../model/ids.ts';
import { machineKey, type MachineRecord } from '../model/machine.ts';
import type { RequestRecord } from '../model/request.ts';
import type { SignalRecord } from '../model/signal.ts';
import type { Change } from '../contract/storage.ts';
import type { TraceContext } from '../tracing/tracer.ts';
import { rememberKey, type IdempotencyKey } from './idempotency.ts';

const goneMessage = 'All machines are gone already.';
const expiredMessage = (count: number): string =>
  `The lease of ${count} ${count === 1 ? 'machine' : 'machines'} ended.`;
const acceptedMessage = (count: number): string =>
  `Return of ${count} ${count === 1 ? 'machine' : 'machines'} accepted.`;

/** A return in the state in which it was created, so that a repeated call gets the same answer. */
export const returnAsOpened = (request: RequestRecord): RequestRecord =>
  request.completed_at === request.created_at
    ? request
    : { ...request, status: 'pending', message: acceptedMessage(request.machine_count) };

/**
 * The most machines of one signal. One commit applies a whole signal, so a larger one would delay other commits.
 */
const machinesPerSignal = 500;

/**
 * The records of a new return of these machines: the return request, and signals for each request that the machines
 * belong to. `expired`: the broker returns them, because their lease ended.
 */
export function openReturn(
  machines: readonly MachineRecord[],
  timeout: number,
  now: number,
  given: { readonly key?: IdempotencyKey; readonly trace?: TraceContext; readonly expired?: boolean },
): {
  readonly request: RequestRecord;
  readonly signals: readonly SignalRecord[];
  readonly changes: readonly Change[];
} {
  const return_id = newReturnId();
  const byOrigin = Map.groupBy(machines, (machine) => machine.request_id);
  const signals = [...byOrigin].flatMap(([request_id, mine]) =>
    chunks(mine, machinesPerSignal).map(
      (some): SignalRecord => ({
        signal_id: newSignalId(),
        kind: 'return',
        request_id,
        return_id,
        machines: some.map(({ provider_instance, machine_id }) => ({ provider_instance, machine_id })),
        ...(given.expired ? { expired: true } : {}),
        created_at: now,
        applied: false,
      }),
    ),
  );
  const templates = [...new Set(machines.map((machine) => machine.template_id))];
  const instances = [...new Set(machines.map((machine) => machine.provider_instance))];
  const [only] = instances;
  const alive = machines.filter((machine) => machine.gone_at === undefined);
  const gone = alive.length === 0;
  const request: RequestRecord = {
    request_id: return_id,
    kind: 'return',
    status: gone ? 'completed' : 'pending',
    template_id: templates.length === 1 ? (templates[0] ?? null) : null,
    machine_count: new Set(machines.map(machineKey)).size,
    holds: 0,
    delivered: 0,
    ...(only !== undefined && instances.length === 1 ? { provider_instance: only } : {}),
    ...(given.trace ? { trace: { ...given.trace } } : {}),
    message: gone ? goneMessage : given.expired ? expiredMessage(machines.length) : acceptedMessage(machines.length),
    ...(given.expired ? { expired: true } : {}),
    created_at: now,
    ...(gone ? { completed_at: now } : {}),
    deadline_at: now + timeout * 1000,
    next_at: gone ? null : now,
    origins: [...byOrigin.keys()],
    version: 1,
    epoch: 0,
  };
  return {
    request,
    signals,
    changes: [
      ...rememberKey(given.key, return_id, now),
      { op: 'insert', kind: 'request', record: request },
      // Also for machines that count as gone: one that was marked gone wrongly is released when it appears again.
      ...signals.map((record) => ({ op: 'insert', kind: 'signal', record }) as const),
      newEvent(now, 'return.created', { machine_ids: machines.map(({ machine_id }) => machine_id) }, return_id),
    ],
  };
}
