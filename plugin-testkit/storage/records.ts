import { nothingReserved, reservesText, type ReservedPart } from '../../core/index.ts';
import type {
  AttemptRecord,
  BrokerRecord,
  Change,
  EventRecord,
  MachineRecord,
  RequestRecord,
  TemplateRecord,
  SignalRecord,
} from '../../core/index.ts';

/** A request as an interface would create it; tests set the fields that matter. */
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

/** The reservation of machines of two vCPUs and a tenth of a dollar an hour each; tests set where they are. */
export const reserving = (
  machines: number,
  { tags = {}, ...part }: Partial<ReservedPart> & { readonly tags?: Readonly<Record<string, string>> } = {},
): string =>
  reservesText({
    tags,
    parts: [{ ...nothingReserved, machines, vcpus: 2 * machines, microusd: 100_000 * machines, ...part }],
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

/** An attempt with only the fields that a storage reads. */
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
  type: 'test.event',
  data: {},
  ...given,
});

/** A live broker: this process, unless other values are given. Another process is another broker. */
export const aBroker = ({
  host = 'here',
  boot = 'b1',
  pid = process.pid,
  started = 1,
  ...given
}: Partial<BrokerRecord> = {}): BrokerRecord => ({
  broker_id: `${host} ${boot} ${pid} ${started}`,
  host,
  boot,
  pid,
  started,
  thread: 1,
  version: '1.0.0',
  serves: [],
  ...given,
});

export const insert = (kind: 'request' | 'machine' | 'signal' | 'template' | 'event', record: object): Change =>
  ({ op: 'insert', kind, record }) as unknown as Change;

/** A pid that no process has: above the highest of Linux. */
export const deadPid = 2 ** 30;
