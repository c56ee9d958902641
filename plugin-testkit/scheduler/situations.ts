import {
  machineStatuses,
  type MachineRecord,
  type MachineType,
  type RequestDetail,
  type RequestRecord,
} from '../../core/index.ts';
import { deepFrozen } from './deep-frozen.ts';

/** Input values of views by description. They are frozen, because a view may not change them. */
export type Situations<T> = Readonly<Record<string, T>>;

export const at = Date.UTC(2026, 0, 1);
export const requestId = 'req-5f0c8a1e';
export const returnId = 'ret-5f0c8a1e';

/** Names that break hand-written serialization. */
export const oddNames = [
  "it's",
  '"quoted", with, commas',
  'two\r\nlines\tand a tab',
  'ä € 漢 🙂',
  'a;b|c\\d',
  '<b>&amp;</b>',
  '',
  '=1+1',
  '\u0000\u2028',
];

const bare: RequestRecord = {
  request_id: requestId,
  kind: 'provision',
  status: 'pending',
  template_id: 'small',
  machine_count: 2,
  holds: 2,
  delivered: 0,
  message: '',
  created_at: at,
  deadline_at: at + 3_600_000,
  next_at: null,
  version: 1,
  epoch: 0,
};

export const provisionRequest = (given: Partial<RequestRecord> = {}): RequestRecord => ({
  ...bare,
  template: { template_id: 'small', machine_type: 't3.small', max_instances: 5, tags: { team: 'a' } },
  provider_type: 'cloud',
  provider_instance: 'east',
  provider_selection: { selection_reason: 'named', confidence: 1, alternatives: ['west'], selection_time_ms: 1 },
  message: 'On its way.',
  ...given,
});

export const returnRequest = (given: Partial<RequestRecord> = {}): RequestRecord => ({
  ...bare,
  request_id: returnId,
  kind: 'return',
  provider_type: 'cloud',
  provider_instance: 'east',
  message: 'On their way out.',
  origins: [requestId],
  ...given,
});

const aMachine = (n: number, given: Partial<MachineRecord> = {}): MachineRecord => ({
  provider_instance: 'east',
  machine_id: `i-${n}`,
  request_id: requestId,
  attempt: 1,
  template_id: 'small',
  status: 'running',
  created_at: at + 1_000,
  ...given,
});

const ready = (n: number, given: Partial<MachineRecord> = {}): MachineRecord =>
  aMachine(n, {
    name: `host-${n}`,
    private_ip: `10.0.0.${n % 256}`,
    public_ip: `198.51.100.${n % 256}`,
    launched_at: '2026-01-01T00:00:02Z',
    ready_at: at + 5_000,
    machine_type: 't3.small',
    market: 'spot',
    data: { zone: 'a' },
    ...given,
  });

const keyOf = ({ provider_instance, machine_id }: MachineRecord) => ({ provider_instance, machine_id });
export const machineType: MachineType = { name: 't3.small', vcpus: 2, cores: 1, memory_mib: 2_048, arch: 'x86_64' };
const typeOf = (): MachineType => machineType;
const ended = { completed_at: at + 60_000 };
const shortfall = [
  {
    kind: 'capacity',
    code: 'InsufficientInstanceCapacity',
    message: 'There is "none", it said.',
    count: 1,
    offer: 't3.small, a',
  } as const,
  { kind: 'quota', code: 'VcpuLimitExceeded', message: 'Too many.' } as const,
];
const states: MachineRecord[] = machineStatuses.flatMap((status, i) => [
  aMachine(2 * i, { status }),
  ready(2 * i + 1, { status, message: `It is ${status}.` }),
]);

/** Situations of a request for machines. */
export const requests: Situations<RequestDetail> = deepFrozen({
  'one that is pending': { request: provisionRequest(), machines: [] },
  'one of which the machines were not asked for': { request: provisionRequest() },
  'one that nothing more is known of': { request: bare, machines: [] },
  'one in progress, with machines of every status': {
    request: provisionRequest({ status: 'in_progress', machine_count: states.length }),
    machines: states,
  },
  'one that is completed': {
    request: provisionRequest({
      status: 'completed',
      delivered: 2,
      fulfilment: { requested: 2, delivered: 2, final: true, shortfall: [] },
      ...ended,
    }),
    machines: [ready(1), ready(2)],
    typeOf,
  },
  'one that ended with fewer machines': {
    request: provisionRequest({
      status: 'completed',
      delivered: 1,
      fulfilment: { requested: 2, delivered: 1, final: true, shortfall },
      ...ended,
    }),
    machines: [ready(1)],
    typeOf: () => undefined,
  },
  'one that failed': {
    request: provisionRequest({
      status: 'failed',
      fulfilment: { requested: 2, delivered: 0, final: true, shortfall },
      ...ended,
    }),
    machines: [],
  },
  'one that is to be cancelled': {
    request: provisionRequest({ status: 'in_progress', cancel_requested_at: at, cancel_reason: 'no "need"' }),
    machines: [aMachine(1, { going: 'cancelled', status: 'shutting-down' })],
  },
  'one that was cancelled': {
    request: provisionRequest({ status: 'cancelled', cancel_requested_at: at, ...ended }),
    machines: [ready(1, { going: 'cancelled', released_at: at, gone_at: at, status: 'terminated' })],
  },
  'one whose machines were lost, returned and taken back': {
    request: provisionRequest({ status: 'completed', delivered: 4, ...ended }),
    machines: [
      ready(1, { lost: true, status: 'terminated', gone_at: at }),
      ready(2, { going: 'returned', return_id: returnId, status: 'shutting-down' }),
      ready(3, { reclaim_at: '2026-01-01T01:00:00Z' }),
      aMachine(4, { going: 'surplus' }),
    ],
  },
  'one with names and texts of every kind': {
    request: provisionRequest({
      status: 'in_progress',
      machine_count: oddNames.length,
      message: oddNames.join(' '),
      tags: Object.fromEntries(oddNames.map((name, i) => [`k${i}`, name])),
      additional_data: { [oddNames.join('')]: oddNames, deep: { list: [null, true, 1.5] } },
    }),
    machines: oddNames.map((name, i) => ready(i, { name, message: name })),
  },
  'one of a thousand machines': {
    request: provisionRequest({ status: 'in_progress', machine_count: 1_000 }),
    machines: Array.from({ length: 1_000 }, (_, i) => ready(i)),
    typeOf,
  },
});

/** Situations of a return. */
export const returns: Situations<RequestDetail> = deepFrozen({
  'a return that is pending': {
    request: returnRequest(),
    machine_keys: [ready(1), ready(2)].map(keyOf),
    machines: [ready(1), ready(2)],
  },
  'a return of which the machines were not asked for': { request: returnRequest(), machine_keys: [keyOf(ready(1))] },
  'a return of machines of several templates, in progress': {
    request: returnRequest({ status: 'in_progress', template_id: null }),
    machine_keys: states.map(keyOf),
    machines: states.map((machine) => ({ ...machine, going: 'returned', return_id: returnId }) as const),
  },
  'a return that is completed, one of its machines forgotten': {
    request: returnRequest({ status: 'completed', ...ended }),
    machine_keys: [ready(1), ready(2)].map(keyOf),
    machines: [ready(1, { going: 'returned', return_id: returnId, status: 'terminated', gone_at: at })],
  },
  'a return that failed': {
    request: returnRequest({
      status: 'failed',
      fulfilment: { requested: 1, delivered: 0, final: true, shortfall },
      ...ended,
    }),
    machine_keys: [keyOf(ready(1))],
    machines: [ready(1, { going: 'returned', return_id: returnId })],
  },
  'a return of nothing': {
    request: returnRequest({ status: 'completed', machine_count: 0, ...ended }),
    machine_keys: [],
    machines: [],
  },
});
