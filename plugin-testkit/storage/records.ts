import type {
  AttemptRecord,
  Change,
  EventRecord,
  MachineRecord,
  Owner,
  RequestRecord,
  TemplateRecord,
  SignalRecord,
} from '../../core/index.ts';

/** A request as a face would make it; what matters to a test is given. */
export const aRequest = (request_id: string, given: Partial<RequestRecord> = {}): RequestRecord => ({
  request_id,
  kind: 'provision',
  status: 'pending',
  template_id: 'small',
  machine_count: 1,
  holds: 1,
  delivered: 0,
  message: '',
  created_at: 1_000,
  deadline_at: 9_000,
  next_at: 1_000,
  version: 0,
  epoch: 0,
  ...given,
});

export const aMachine = (machine_id: string, given: Partial<MachineRecord> = {}): MachineRecord => ({
  provider_instance: 'east',
  machine_id,
  request_id: 'r-1',
  attempt: 1,
  template_id: 'small',
  status: 'pending',
  created_at: 1_000,
  ...given,
});

/** An attempt with no more than what a storage looks at. */
export const anAttempt = (attempt: number, given: Partial<AttemptRecord> = {}): AttemptRecord =>
  ({ request_id: 'r-1', attempt, provider_instance: 'east', state: 'open', token: 't', ...given }) as AttemptRecord;

export const aSignal = (signal_id: string, given: Partial<SignalRecord> = {}): SignalRecord => ({
  signal_id,
  kind: 'cancel',
  request_id: 'r-1',
  machines: [],
  created_at: 1_000,
  applied: false,
  ...given,
});

export const aTemplate = (template_id: string, given: Partial<TemplateRecord> = {}): TemplateRecord => ({
  template_id,
  fields: { image_id: 'ami-1' },
  created_at: 1_000,
  updated_at: 1_000,
  version: 0,
  ...given,
});

export const anEvent = (given: Partial<EventRecord> = {}): EventRecord => ({
  seq: 0,
  at: 1_000,
  type: 'told',
  data: {},
  ...given,
});

/** An owner that lives: this very process, unless something else is given. */
export const anOwner = (given: Partial<Owner> = {}): Owner => ({
  host: 'here',
  boot: 'b1',
  pid: process.pid,
  started: 1,
  thread: 1,
  ...given,
});

export const insert = (kind: 'request' | 'machine' | 'signal' | 'template' | 'event', record: object): Change =>
  ({ op: 'insert', kind, record }) as unknown as Change;

/** A pid that no living process has: far above the highest that Linux gives. */
export const deadPid = 2 ** 30;
