import test from 'ava';
import {
  compile,
  machineStatuses,
  requestStatuses,
  type MachineRecord,
  type RequestRecord,
  type SchedulerStrategy,
} from '../../../core/index.ts';
import plugin from '../../../plugins/default-format/index.ts';

const strategy = (plugin.schedulers ?? [])[0] as SchedulerStrategy;
const at = Date.UTC(2026, 0, 1);
const request = (over: Partial<RequestRecord> = {}): RequestRecord => ({
  request_id: 'req-1',
  kind: 'provision',
  status: 'pending',
  template_id: 'small',
  machine_count: 2,
  holds: 2,
  delivered: 0,
  provider_type: 'cloud',
  provider_instance: 'east',
  provider_selection: { selection_reason: 'named', confidence: 1, alternatives: [], selection_time_ms: 1 },
  message: 'On its way.',
  created_at: at,
  deadline_at: at,
  next_at: null,
  version: 1,
  epoch: 0,
  ...over,
});
const machine = (over: Partial<MachineRecord> = {}): MachineRecord => ({
  provider_instance: 'east',
  machine_id: 'i-1',
  request_id: 'req-1',
  attempt: 1,
  template_id: 'small',
  status: 'running',
  created_at: at + 1000,
  ...over,
});

const fits = (view: { readonly schema: Parameters<typeof compile>[0] }, value: unknown) =>
  compile(view.schema).parse(value).findings;

test('the answer to a request', (t) => {
  const value = strategy.requested.render({ request: request() });
  t.deepEqual(value, {
    request_id: 'req-1',
    template_id: 'small',
    machine_count: 2,
    status: 'pending',
    message: 'On its way.',
  });
  t.is(fits(strategy.requested, value), undefined);
});

test('the answer to a return', (t) => {
  const value = strategy.returned.render({
    request: request({ request_id: 'ret-1', kind: 'return', template_id: null }),
    machine_keys: [{ provider_instance: 'east', machine_id: 'i-1' }],
  });
  t.deepEqual(value, { request_id: 'ret-1', status: 'pending', machine_ids: ['i-1'], message: 'On its way.' });
  t.is(fits(strategy.returned, value), undefined);
});

for (const kind of ['provision', 'return'] as const) {
  for (const status of requestStatuses) {
    for (const each of machineStatuses) {
      test(`a ${kind} that is ${status}, with a machine that is ${each}, is shown as it is`, (t) => {
        const value = strategy.status.render({
          request: request({ kind, status }),
          machines: [machine({ status: each })],
        }) as {
          status: string;
          machines: { status: string }[];
        };
        t.deepEqual([value.status, value.machines[0]?.status], [status, each]);
        t.is(fits(strategy.status, value), undefined);
      });
    }
  }
}

test('a status is whole: both counts, the selection, the fulfilment, times as ISO', (t) => {
  const fulfilment = {
    requested: 2,
    delivered: 1,
    final: true,
    shortfall: [{ kind: 'capacity', code: 'X', message: 'none' } as const],
  };
  const done = request({ status: 'completed', completed_at: at + 60_000, fulfilment });
  const kind = { machine_type: 't3.small', market: 'on-demand', zone: 'us-east-1a' } as const;
  const one = machine({
    ...kind,
    name: 'host-1',
    private_ip: '10.0.0.1',
    public_ip: '54.0.0.1',
    launched_at: '2026-01-01T00:00:02Z',
  });
  const value = strategy.status.render({ request: done, machines: [one] });
  t.deepEqual(value, {
    request_id: 'req-1',
    template_id: 'small',
    machine_count: 2,
    requested_count: 2,
    status: 'completed',
    provider_type: 'cloud',
    provider_instance: 'east',
    provider_selection: { selection_reason: 'named', confidence: 1, alternatives: [], selection_time_ms: 1 },
    machines: [
      {
        machine_id: 'i-1',
        status: 'running',
        name: 'host-1',
        private_ip: '10.0.0.1',
        public_ip: '54.0.0.1',
        provider_instance: 'east',
        ...kind,
        market: 'ondemand',
        created_at: '2026-01-01T00:00:01.000Z',
        launched_at: '2026-01-01T00:00:02Z',
      },
    ],
    fulfilment,
    message: 'On its way.',
    created_at: '2026-01-01T00:00:00.000Z',
    deadline_at: '2026-01-01T00:00:00.000Z',
    completed_at: '2026-01-01T00:01:00.000Z',
  });
  t.is(fits(strategy.status, value), undefined);
});

test('a machine has its type, market and zone, if they are known', (t) => {
  const kind = { machine_type: 'm5.large', market: 'on-demand', zone: 'us-east-1a' } as const;
  const value = strategy.status.render({ request: request(), machines: [machine(kind)] }) as { machines: object[] };
  t.like(value.machines[0], { machine_type: 'm5.large', market: 'ondemand', zone: 'us-east-1a' });
  t.is(fits(strategy.status, value), undefined);
});

test('a machine that goes as it was asked to says nothing of an error; one that was lost says why', (t) => {
  const message = 'User initiated shutdown. Error Code: Client.UserInitiatedShutdown';
  const told = (over: Partial<MachineRecord>) =>
    (
      strategy.status.render({ request: request(), machines: [machine({ message, ...over })] }) as {
        machines: { message?: string }[];
      }
    ).machines[0]?.message;
  t.is(told({ status: 'terminated', going: 'returned', gone_at: at }), undefined);
  t.is(told({ status: 'shutting-down', going: 'cancelled' }), undefined);
  t.is(told({ status: 'terminated', lost: true, gone_at: at }), message);
  t.is(told({ status: 'failed', going: 'failed' }), message);
});

test('without machines in the detail the selection is left out too', (t) => {
  const value = strategy.status.render({ request: request() }) as object;
  t.false('machines' in value);
  t.false('provider_selection' in value);
});

test('a list has its counts and entries without machines', (t) => {
  const value = strategy.listed.render({
    items: [{ request: request() }, { request: request({ request_id: 'req-2' }) }],
    total_count: 7,
    at,
  }) as {
    requests: object[];
    count: number;
    total_count: number;
  };
  t.deepEqual([value.count, value.total_count, value.requests.length], [2, 7, 2]);
  t.false('machines' in (value.requests[0] ?? {}));
  t.true('provider_selection' in (value.requests[0] ?? {}));
  t.is(fits(strategy.listed, value), undefined);
});

test('templates: total and filters are present only if a filter applied', (t) => {
  const items = [{ template: { template_id: 'a', version: '1.0' } }];
  const plain = strategy.templates.render({ items, total_count: 3, at });
  t.deepEqual(plain, {
    templates: [{ template_id: 'a', version: '1.0' }],
    total_count: 3,
    count: 1,
    message: '1 of 3 templates.',
    success: true,
    timestamp: '2026-01-01T00:00:00.000Z',
  });
  const filtered = strategy.templates.render({ items, total_count: 1, filters: { provider_api: 'ASG' }, at });
  t.like(filtered, { total: 1, filters: { provider_api: 'ASG' }, message: '1 template.' });
  t.is(fits(strategy.templates, filtered), undefined);
  t.like(strategy.templates.render({ items: [], total_count: 0, at }), { message: 'There are no templates.' });
});

test('reclaims name every machine with the seconds that are left', (t) => {
  const value = strategy.reclaims.render([{ machine_id: 'i-1', reason: 'spot', grace_period_s: 90 }]);
  t.deepEqual(value, { machines: [{ machine_id: 'i-1', name: null, reason: 'spot', grace_period_s: 90 }] });
  t.is(fits(strategy.reclaims, value), undefined);
});
