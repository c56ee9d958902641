import test from 'ava';
import {
  compile,
  machineStatuses,
  type MachineRecord,
  type RequestRecord,
  type SchedulerStrategy,
} from '../../../core/index.ts';
import plugin from '../../../plugins/hostfactory-format/index.ts';

const [strategy] = plugin.schedulers ?? [];
const { status, listed, requested, returned, reclaims } = strategy as SchedulerStrategy;

const at = Date.UTC(2026, 0, 1);
const request = (over: Partial<RequestRecord> = {}): RequestRecord => ({
  request_id: 'req-1',
  kind: 'provision',
  status: 'in_progress',
  template_id: 'small',
  machine_count: 1,
  holds: 1,
  delivered: 0,
  message: 'On its way.',
  created_at: at,
  deadline_at: at + 3_600_000,
  next_at: null,
  version: 1,
  epoch: 1,
  ...over,
});
const done = (over: Partial<RequestRecord> = {}) =>
  request({ status: 'completed', completed_at: at + 60_000, delivered: 1, ...over });
const machine = (over: Partial<MachineRecord> = {}): MachineRecord => ({
  provider_instance: 'east',
  machine_id: 'i-1',
  request_id: 'req-1',
  attempt: 1,
  template_id: 'small',
  status: 'running',
  created_at: at + 5_000,
  ...over,
});
const ready = (over: Partial<MachineRecord> = {}) =>
  machine({ ready_at: at + 30_000, name: 'ip-10-0-0-1', private_ip: '10.0.0.1', ...over });

interface Shown {
  readonly requests: readonly {
    readonly status: string;
    readonly message: string;
    readonly machines: readonly Record<string, unknown>[];
  }[];
}
const shown = (of: RequestRecord, machines?: readonly MachineRecord[]) => {
  const view = status.render({ request: of, ...(machines ? { machines } : {}) }) as Shown;
  const checked = compile(status.schema).parse(view);
  if (checked.findings) throw new Error(JSON.stringify(checked.findings));
  const [only] = view.requests;
  if (!only) throw new Error('nothing shown');
  return only;
};
const resultOf = (of: RequestRecord, one: MachineRecord) => shown(of, [one]).machines[0]?.['result'];

test('an end with fewer machines is an error, unless the template says that it is complete; without any it is one in any case', (t) => {
  const template = { template_id: 'small', partialStatus: 'complete' };
  const short = done({ machine_count: 3, template });
  t.is(shown(short, [ready()]).status, 'complete');
  t.is(shown({ ...short, template: { template_id: 'small' } }, [ready()]).status, 'complete_with_error');
  t.is(shown({ ...short, status: 'failed', delivered: 0 }, []).status, 'complete_with_error');
  t.is(shown({ ...short, status: 'in_progress' }, [ready()]).status, 'running');
});

test('a returned or cancelled machine is reported without the cloud’s message', (t) => {
  const message = 'User initiated shutdown. Error Code: Client.UserInitiatedShutdown';
  const gone = { status: 'terminated', gone_at: at + 60_000, message } as const;
  const told = (of: RequestRecord, one: MachineRecord) => shown(of, [one]).machines[0]?.['message'];
  t.is(told(request({ kind: 'return', status: 'completed' }), ready({ ...gone, going: 'returned' })), '');
  t.is(told(done(), machine({ ...gone, going: 'returned' })), 'The machine was returned before it was usable.');
  t.is(told(request({ status: 'cancelled' }), machine({ ...gone, going: 'cancelled' })), 'The request was cancelled.');
  t.is(told(done(), ready({ ...gone, lost: true })), message);
});

// While the request runs, after it ended with the machine ready, after it ended without it.
const acquire = {
  pending: ['executing', 'succeed', 'fail'],
  running: ['executing', 'succeed', 'fail'],
  'shutting-down': ['fail', 'fail', 'fail'],
  stopping: ['fail', 'fail', 'fail'],
  stopped: ['fail', 'fail', 'fail'],
  terminated: ['fail', 'fail', 'fail'],
  failed: ['fail', 'fail', 'fail'],
} as const;
for (const each of machineStatuses) {
  test(`a machine that is asked for and is ${each}`, (t) => {
    const [running, wasReady, wasNot] = acquire[each];
    t.is(resultOf(request(), machine({ status: each })), running);
    t.is(resultOf(done({ delivered: 0 }), ready({ status: each })) ?? 'succeed', wasReady);
    t.is(resultOf(request({ status: 'failed' }), machine({ status: each })), wasNot);
  });
}

const giveBack = {
  pending: ['executing', 'fail'],
  running: ['executing', 'fail'],
  'shutting-down': ['executing', 'fail'],
  stopping: ['executing', 'fail'],
  stopped: ['succeed', 'succeed'],
  terminated: ['succeed', 'succeed'],
  failed: ['executing', 'fail'],
} as const;
for (const each of machineStatuses) {
  test(`a machine that is given back and is ${each}`, (t) => {
    const [running, ended] = giveBack[each];
    t.is(resultOf(request({ kind: 'return' }), machine({ status: each })), running);
    t.is(resultOf(request({ kind: 'return', status: 'failed' }), machine({ status: each })), ended);
    t.is(resultOf(request({ kind: 'return' }), machine({ status: each, gone_at: at })), 'succeed');
  });
}

const special: readonly (readonly [string, RequestRecord, MachineRecord, string])[] = [
  ['ready, while others still come: succeeds', request(), ready(), 'succeed'],
  [
    'returned by its caller after the end: stays a success',
    done(),
    ready({ going: 'returned', status: 'terminated', gone_at: at + 90_000 }),
    'succeed',
  ],
  [
    'returned by its caller before the end: was delivered',
    request(),
    ready({ going: 'returned', status: 'shutting-down' }),
    'succeed',
  ],
  ['returned before it was usable: fails', request(), machine({ going: 'returned', status: 'shutting-down' }), 'fail'],
  [
    'lost unasked after the end: fails',
    done(),
    ready({ lost: true, status: 'terminated', gone_at: at + 90_000 }),
    'fail',
  ],
  ['marked for reclaim, still running: fails', request(), ready({ reclaim_at: '2026-01-01T00:02:00Z' }), 'fail'],
  [
    'marked for reclaim and given back: executing',
    request({ kind: 'return' }),
    ready({ reclaim_at: '2026-01-01T00:02:00Z' }),
    'executing',
  ],
  [
    'of a cancelled request: fails',
    request({ status: 'cancelled' }),
    ready({ going: 'cancelled', status: 'shutting-down' }),
    'fail',
  ],
  ['surplus: fails', request(), ready({ going: 'surplus', status: 'shutting-down' }), 'fail'],
];
for (const [title, of, one, result] of special) {
  test(`a machine that is ${title}`, (t) => {
    const [view] = shown(of, [one]).machines;
    t.is(view?.['result'], result);
    t.is(view?.['message'] !== '', result === 'fail', 'a failure says why, and only a failure does');
  });
}

const full = { requested: 3, delivered: 3, final: true, shortfall: [] };
const short = {
  requested: 3,
  delivered: 2,
  final: true,
  shortfall: [{ kind: 'capacity', code: 'InsufficientInstanceCapacity', message: 'none left' }],
} as const;
const requests: readonly (readonly [string, RequestRecord, string])[] = [
  ['pending', request({ status: 'pending' }), 'running'],
  ['in progress', request(), 'running'],
  [
    'in progress, with a shortfall known',
    request({ fulfilment: { ...short, final: false, shortfall: [...short.shortfall] } }),
    'running',
  ],
  ['completed in full', done({ machine_count: 3, fulfilment: full }), 'complete'],
  [
    'completed in part',
    done({ machine_count: 3, fulfilment: { ...short, shortfall: [...short.shortfall] } }),
    'complete_with_error',
  ],
  ['failed', request({ status: 'failed' }), 'complete_with_error'],
  ['cancelled', request({ status: 'cancelled' }), 'complete_with_error'],
  ['a return that runs', request({ kind: 'return' }), 'running'],
  ['a return that is done', request({ kind: 'return', status: 'completed' }), 'complete'],
  [
    'a return of which some are not gone',
    request({ kind: 'return', status: 'completed', fulfilment: { ...short, shortfall: [...short.shortfall] } }),
    'complete_with_error',
  ],
  ['a return that failed', request({ kind: 'return', status: 'failed' }), 'complete_with_error'],
];
for (const [title, of, word] of requests) {
  test(`the status of a request that is ${title}`, (t) => t.is(shown(of, []).status, word));
}

test('a full delivery shows the machines that are there, not those that were replaced', (t) => {
  const lost = ready({ machine_id: 'i-0', lost: true, status: 'terminated', gone_at: at + 40_000 });
  const view = shown(done({ delivered: 2 }), [lost, ready()]);
  t.is(view.status, 'complete');
  t.deepEqual(
    view.machines.map((each) => each['machineId']),
    ['i-1'],
  );
});

test('a partial end keeps the good machines listed beside the failed ones', (t) => {
  const view = shown(done({ machine_count: 2 }), [ready(), machine({ machine_id: 'i-2' })]);
  t.is(view.status, 'complete_with_error');
  t.deepEqual(
    view.machines.map((each) => each['result']),
    ['succeed', 'fail'],
  );
});

test('a machine has every field that HostFactory wants, in its types', (t) => {
  const template = { template_id: 'small', machine_type: 't3.small', price_type: 'mixed', tags: { a: '1', b: 'x=y' } };
  const one = ready({ launched_at: '2026-01-01T00:00:10.700Z', public_ip: '54.0.0.1' });
  t.deepEqual(shown(done({ template }), [one]).machines, [
    {
      machineId: 'i-1',
      name: 'ip-10-0-0-1',
      result: 'succeed',
      status: 'running',
      privateIpAddress: '10.0.0.1',
      publicIpAddress: '54.0.0.1',
      launchtime: at / 1000 + 10,
      message: '',
      instanceType: 't3.small',
      priceType: 'heterogeneous',
      instanceTags: 'a=1;b=x=y',
      cloudHostId: null,
    },
  ]);
});

test('a name is never empty and a launch time is always there', (t) => {
  const [view] = shown(request(), [machine()]).machines;
  t.deepEqual([view?.['name'], view?.['launchtime']], ['i-1', at / 1000 + 5]);
});

test('a message that rests on an error of the cloud ends in its code', (t) => {
  const fulfilment = { ...short, shortfall: [...short.shortfall] };
  t.is(
    shown(done({ message: 'Only 2 of 3 came.', fulfilment }), []).message,
    'Only 2 of 3 came. Error Code: InsufficientInstanceCapacity',
  );
  t.is(shown(done({ message: 'All came.' }), []).message, 'All came.');
});

test('without machines in the detail the list is empty', (t) => {
  t.deepEqual(shown(request()).machines, []);
  t.deepEqual(shown(request({ kind: 'return' })).machines, []);
});

test('a machine whose record was purged counts as gone in its return', (t) => {
  const view = status.render({
    request: request({ kind: 'return' }),
    machines: [],
    machine_keys: [{ provider_instance: 'east', machine_id: 'i-9' }],
  }) as Shown;
  t.like(view.requests[0]?.machines[0], { machineId: 'i-9', name: 'i-9', result: 'succeed', status: 'terminated' });
});

test('the answers to a request and to a return', (t) => {
  t.deepEqual(requested.render({ request: request({ status: 'pending' }) }), {
    requestId: 'req-1',
    templateId: 'small',
    machineCount: 1,
    status: 'running',
    message: 'On its way.',
  });
  t.deepEqual(returned.render({ request: request({ request_id: 'ret-1', kind: 'return' }) }), {
    requestId: 'ret-1',
    message: 'On its way.',
  });
});

test('a list is getRequestStatus for many', (t) => {
  const view = listed.render({ items: [{ request: request() }, { request: done() }], total_count: 9, at }) as Shown;
  t.deepEqual(
    view.requests.map((each) => [each.status, each.machines]),
    [
      ['running', []],
      ['complete', []],
    ],
  );
});

test('hosts that the cloud wants back are named with whole seconds that are left', (t) => {
  const view = reclaims.render([
    { machine_id: 'i-1', name: 'ip-10-0-0-1', reason: 'spot', grace_period_s: 90.7 },
    { machine_id: 'i-2', reason: 'gone', grace_period_s: -3 },
  ]);
  t.deepEqual(view, {
    status: 'complete',
    message: '2 machines are reclaimed.',
    requests: [
      { machine: 'ip-10-0-0-1', machineId: 'i-1', gracePeriod: 90 },
      { machine: 'i-2', machineId: 'i-2', gracePeriod: 0 },
    ],
  });
  t.deepEqual((reclaims.render([]) as { requests: unknown }).requests, []);
});
