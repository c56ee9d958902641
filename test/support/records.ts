import type { AttemptRecord, MachineRecord, RequestRecord } from '../../core/index.ts';
import type { HeldState } from '../../core/reconciler/state/request-state.ts';
import { MachineSet } from '../../core/reconciler/state/machine-set.ts';

/** A stored request in progress; fields that a test does not give have ordinary values. */
export function requestOf(fields: Partial<RequestRecord> = {}): RequestRecord {
  const machine_count = fields.machine_count ?? 3;
  return {
    request_id: 'req-1',
    kind: 'provision',
    status: 'in_progress',
    template_id: 'small',
    template: { template_id: 'small' },
    machine_count,
    holds: machine_count,
    delivered: 0,
    message: '',
    created_at: 0,
    deadline_at: 3_600_000,
    next_at: 0,
    version: 1,
    epoch: 1,
    ...fields,
  };
}

export function attemptOf(attempt: number, fields: Partial<AttemptRecord> = {}, machine_count = 3): AttemptRecord {
  return {
    request_id: 'req-1',
    attempt,
    provider_instance: 'east',
    provider_type: 'cloud',
    api: 'RunInstances',
    identity: 'east',
    token: `token${attempt}`,
    order: { machine_count, template: { template_id: 'small' }, tags: {} },
    state: 'launched',
    handle: {},
    settled: true,
    unsent: false,
    doubtful: false,
    disposed: false,
    shortfall: [],
    created_at: 0,
    tries: 0,
    ...fields,
  };
}

export function machineOf(machine_id: string, fields: Partial<MachineRecord> = {}): MachineRecord {
  return {
    provider_instance: 'east',
    machine_id,
    request_id: 'req-1',
    attempt: 1,
    template_id: 'small',
    status: 'running',
    created_at: 0,
    ready_at: 1,
    ...fields,
  };
}

/** The state of a request as the holder of its claim reads it. */
export const stateOf = ({ machines = [], ...fields }: StateFields = {}): HeldState => ({
  request: requestOf(),
  attempts: [],
  signals: [],
  ...fields,
  machines: new MachineSet(machines),
});

type StateFields = Partial<Omit<HeldState, 'machines'>> & { readonly machines?: readonly MachineRecord[] };
