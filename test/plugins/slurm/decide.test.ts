import test from 'ava';
import type { MachineAnswer } from '../../../core/index.ts';
import { parseNodes } from '../../../plugins/slurm/controller/parse-nodes.ts';
import type { OrderedRequest } from '../../../plugins/slurm/nodes/machines.ts';
import type { NodeState, OrderState, RestState } from '../../../plugins/slurm/nodes/records.ts';
import { releasesOf } from '../../../plugins/slurm/nodes/release-nodes.ts';
import { decide, doubtful, type Compared } from '../../../plugins/slurm/sync/decide.ts';
import { Looks } from '../../../plugins/slurm/sync/looks.ts';

const orderOf = (fields: Partial<OrderState> = {}): OrderState => ({
  request_id: 'req-1',
  template: 'small',
  set: 0,
  names: ['n1'],
  all_or_nothing: false,
  at: 0,
  ...fields,
});
const machineOf = (fields: Partial<MachineAnswer> = {}): MachineAnswer =>
  ({
    machine_id: 'm-1',
    status: 'running',
    assigned_name: 'n1',
    provider_instance: 'east',
    ...fields,
  }) as MachineAnswer;
const requestOf = (fields: Partial<OrderedRequest> = {}): OrderedRequest => ({
  request_id: 'req-1',
  isOver: true,
  machines: [machineOf()],
  ...fields,
});
const on: NodeState = { state: 'on', generation: 1, order: 'req-1', at: 0 };

interface Situation {
  /** `State=…` of the node; undefined: slurmctld does not know it. */
  readonly state?: string;
  readonly reason?: string;
  readonly node?: NodeState;
  readonly order?: OrderState;
  readonly request?: OrderedRequest;
  readonly rest?: RestState;
  /** A job may run on its machine. */
  readonly isBusy?: boolean;
  /** A job has the node. */
  readonly isHeld?: boolean;
}

function compared({
  state,
  reason = '',
  node,
  order = orderOf(),
  request,
  rest,
  isBusy = false,
  isHeld = false,
}: Situation): Compared {
  const line = `NodeName=n1 Arch=x86_64 State=${state} ThreadsPerCore=1${reason ? ` Reason=${reason} [root@2026-11-25T10:00:00]` : ''}`;
  return {
    slurm: new Map(state === undefined ? [] : parseNodes(line).map((each) => [each.name, each])),
    records: {
      nodes: new Map(node ? [['n1', { version: 1, value: node }]] : []),
      orders: new Map(node ? [['req-1', { version: 1, value: order }]] : []),
      rests: new Map(rest ? [[0, { version: 1, value: rest }]] : []),
    },
    requests: new Map(request ? [['req-1', request]] : []),
    busy: new Set(isBusy ? ['n1'] : []),
    held: new Set(isBusy || isHeld ? ['n1'] : []),
    setOf: new Map([['n1', 0]]),
    now: 1_000,
  };
}

const again = { ...on, joined_at: 5 };

const short: OrderedRequest['why'] = { code: 'FULL', message: 'All slots are taken.', lacksCapacity: true };

/** What is done; `!`: with one look. */
const table: readonly (readonly [string, Situation, string])[] = [
  [
    'a node that Slurm starts anew, with the machine of the last time, is ordered anew',
    { state: 'ALLOCATED+CLOUD+POWERING_UP', node: again, request: requestOf() },
    'order',
  ],
  [
    'but not while a job may run on that machine: it is kept',
    { state: 'MIXED+CLOUD+NOT_RESPONDING+POWERING_UP', node: again, request: requestOf(), isBusy: true },
    'keep!',
  ],
  [
    'unless that machine is gone',
    {
      state: 'MIXED+CLOUD+NOT_RESPONDING+POWERING_UP',
      node: again,
      request: requestOf({ machines: [] }),
      isBusy: true,
    },
    'order',
  ],
  [
    'or the cloud reclaims it',
    {
      state: 'MIXED+CLOUD+NOT_RESPONDING+POWERING_UP',
      node: again,
      request: requestOf({ machines: [machineOf({ reclaim_at: '2026-11-25T10:00:00Z' })] }),
      isBusy: true,
    },
    'power-down muster: the cloud reclaims the machine!',
  ],
  [
    'a node that Slurm takes for off keeps the machine on which a job runs',
    { state: 'MIXED+CLOUD+POWERED_DOWN', node: again, request: requestOf(), isBusy: true },
    'keep!',
  ],
  [
    'also when no comparison saw it join',
    { state: 'ALLOCATED+CLOUD+POWERED_DOWN', node: on, request: requestOf(), isBusy: true },
    'keep!',
  ],
  [
    'but loses it to the job that waits for another one',
    { state: 'ALLOCATED+CLOUD+POWERED_DOWN', node: again, request: requestOf() },
    'switch-off',
  ],
  [
    'a job on a node that Slurm takes for off is ended when the machine is gone: Slurm would never find out',
    {
      state: 'MIXED+CLOUD+POWERED_DOWN',
      node: again,
      request: requestOf({ machines: [machineOf({ status: 'terminated', message: 'The cloud took it.' })] }),
      isBusy: true,
    },
    'power-down muster: the machine is gone: The cloud took it.',
  ],
  [
    'also when the node was switched off before',
    { state: 'MIXED+CLOUD+POWERED_DOWN', node: { ...on, state: 'off' }, request: requestOf(), isBusy: true },
    'power-down muster: the machine is gone',
  ],
  [
    'and when muster never knew it',
    { state: 'MIXED+CLOUD+POWERED_DOWN', isBusy: true },
    'power-down muster: the machine is gone',
  ],
  [
    'but not before the provider has reported the machine',
    {
      state: 'MIXED+CLOUD+POWERED_DOWN',
      node: on,
      request: requestOf({ isOver: false, machines: [] }),
      isBusy: true,
    },
    '',
  ],
  [
    'a node that Slurm takes for off, and whose machine the cloud reclaims, goes down at once',
    {
      state: 'MIXED+CLOUD+POWERED_DOWN',
      node: again,
      request: requestOf({ machines: [machineOf({ reclaim_at: '2026-11-25T10:00:00Z' })] }),
      isBusy: true,
    },
    'power-down muster: the cloud reclaims the machine!',
  ],
  [
    'a node that a job got and that Slurm starts soon is left to its program',
    { state: 'ALLOCATED+CLOUD+POWERED_DOWN' },
    '',
  ],
  ['a node that is off on both sides needs nothing', { state: 'IDLE+CLOUD+POWERED_DOWN' }, ''],
  ['a node that Slurm starts and that nobody ordered is ordered', { state: 'IDLE+CLOUD+POWERING_UP' }, 'order'],
  [
    'a node that waits for its machine waits',
    { state: 'ALLOCATED+CLOUD+POWERING_UP', node: on, request: requestOf({ isOver: false, machines: [] }) },
    '',
  ],
  ['an order whose request does not exist yet waits', { state: 'ALLOCATED+CLOUD+POWERING_UP', node: on }, ''],
  [
    'a node whose request fell short is given up',
    {
      state: 'ALLOCATED+CLOUD+NOT_RESPONDING+POWERING_UP',
      node: on,
      request: requestOf({ machines: [], why: short }),
    },
    'power-down muster: FULL All slots are taken.!',
  ],
  [
    'a node whose request was refused is given up',
    {
      state: 'IDLE+CLOUD+POWERING_UP',
      node: on,
      order: orderOf({ refused: { code: 'TEMPLATE_NOT_FOUND', message: 'No template.' } }),
    },
    'power-down muster: TEMPLATE_NOT_FOUND No template.!',
  ],
  [
    'a node that is up with its machine has joined',
    { state: 'IDLE+CLOUD', node: on, request: requestOf() },
    'joined!',
  ],
  [
    'a node that is up before its provider has reported the machine waits',
    { state: 'IDLE+CLOUD', node: on, request: requestOf({ isOver: false, machines: [] }) },
    '',
  ],
  [
    'but a node that joined and has no machine any more goes down, also while a replacement is ordered',
    { state: 'IDLE+CLOUD', node: again, request: requestOf({ isOver: false, machines: [] }) },
    'power-down muster: the machine is gone',
  ],
  [
    'a node that joined needs nothing',
    { state: 'MIXED+CLOUD', node: { ...on, joined_at: 5 }, request: requestOf() },
    '',
  ],
  [
    'a node whose machine is gone goes down',
    {
      state: 'ALLOCATED+CLOUD',
      node: { ...on, joined_at: 5 },
      request: requestOf({ machines: [machineOf({ status: 'terminated', message: 'The cloud took it.' })] }),
    },
    'power-down muster: the machine is gone: The cloud took it.',
  ],
  [
    'a node that does not answer and whose machine is gone goes down',
    { state: 'DOWN+CLOUD+NOT_RESPONDING', node: { ...on, joined_at: 5 }, request: requestOf({ machines: [] }) },
    'power-down muster: the machine is gone',
  ],
  [
    'a node whose machine the cloud reclaims goes down at once',
    {
      state: 'ALLOCATED+CLOUD',
      node: { ...on, joined_at: 5 },
      request: requestOf({ machines: [machineOf({ reclaim_at: '2026-11-25T10:00:00Z' })] }),
    },
    'power-down muster: the cloud reclaims the machine!',
  ],
  [
    'a node that is up without a known machine goes down',
    { state: 'IDLE+CLOUD' },
    'power-down muster: no machine of this node is known',
  ],
  [
    'a node that Slurm gave up is switched off',
    {
      state: 'DOWN+CLOUD+POWERED_DOWN+NOT_RESPONDING',
      reason: 'ResumeTimeout reached',
      node: on,
      request: requestOf(),
    },
    'switch-off',
  ],
  [
    'a node that Slurm powered off is switched off',
    { state: 'IDLE+CLOUD+POWERED_DOWN', node: on, request: requestOf() },
    'switch-off',
  ],
  [
    'a node that is given up is used again once its machine is gone',
    {
      state: 'DOWN+CLOUD+POWERED_DOWN',
      reason: 'ResumeTimeout reached',
      node: { ...on, state: 'off' },
      request: requestOf({ machines: [machineOf({ status: 'terminated' })] }),
    },
    'resume!',
  ],
  [
    'but not while its machine lives',
    {
      state: 'DOWN+CLOUD+POWERED_DOWN',
      reason: 'ResumeTimeout reached',
      node: { ...on, state: 'off' },
      request: requestOf(),
    },
    '',
  ],
  [
    'a node that is DOWN because its machines are too small stays DOWN',
    { state: 'DOWN+CLOUD+POWERED_DOWN', reason: 'muster: its machine has less than slurm.conf says' },
    '',
  ],
  ['a node that a person set DOWN stays DOWN', { state: 'DOWN+CLOUD+POWERED_DOWN', reason: 'broken disk' }, ''],
  [
    'a node of a set that lacks capacity is kept DOWN',
    { state: 'IDLE+CLOUD+POWERED_DOWN', rest: { until: 2_000, reason: 'muster: FULL' } },
    'keep-down muster: FULL!',
  ],
  [
    'and stays so until then',
    { state: 'DOWN+CLOUD+POWERED_DOWN', reason: 'muster: FULL', rest: { until: 2_000, reason: 'muster: FULL' } },
    '',
  ],
  [
    'and is used again after that',
    { state: 'DOWN+CLOUD+POWERED_DOWN', reason: 'muster: FULL', rest: { until: 900, reason: 'muster: FULL' } },
    'resume!',
  ],
  [
    'a node that Slurm powered off although a job has it keeps its machine',
    { state: 'MIXED+CLOUD+POWERED_DOWN', node: { ...on, joined_at: 5 }, request: requestOf(), isHeld: true },
    'keep!',
  ],
  [
    'also one whose machine did not join yet',
    { state: 'MIXED+CLOUD+POWERED_DOWN', node: on, request: requestOf(), isHeld: true },
    'keep!',
  ],
  [
    'but it is powered down when the machine is gone, so that the job is requeued',
    {
      state: 'MIXED+CLOUD+POWERED_DOWN',
      node: { ...on, joined_at: 5 },
      request: requestOf({ machines: [machineOf({ status: 'terminated' })] }),
      isHeld: true,
    },
    'power-down muster: the machine is gone',
  ],
  [
    'a node without a machine that a job has is started by Slurm soon',
    { state: 'MIXED+CLOUD+POWERED_DOWN', node: { ...on, state: 'off' }, isHeld: true },
    '',
  ],
  [
    'a node that is off is powered off again when Slurm notes that it does not respond',
    { state: 'IDLE+CLOUD+POWERED_DOWN+NOT_RESPONDING', node: { ...on, state: 'off' } },
    'power-off-again',
  ],
  ['also one that muster never had', { state: 'IDLE+CLOUD+POWERED_DOWN+NOT_RESPONDING' }, 'power-off-again'],
  ['but not one that a job got', { state: 'ALLOCATED+CLOUD+POWERED_DOWN+NOT_RESPONDING' }, ''],
  ['nor one that a person drains', { state: 'IDLE+CLOUD+DRAIN+POWERED_DOWN+NOT_RESPONDING' }, ''],
  [
    'nor one of a set that lacks capacity',
    { state: 'IDLE+CLOUD+POWERED_DOWN+NOT_RESPONDING', rest: { until: 2_000, reason: 'muster: FULL' } },
    'keep-down muster: FULL!',
  ],
  [
    'a node that reboots is left alone',
    { state: 'DOWN+CLOUD+DRAIN+REBOOT_ISSUED', node: on, request: requestOf({ machines: [] }) },
    '',
  ],
  [
    'a node that Slurm is suspending is left alone',
    { state: 'IDLE+CLOUD+POWERING_DOWN', node: on, request: requestOf() },
    '',
  ],
  ['a node that slurmctld does not know any more is switched off', { node: on, request: requestOf() }, 'switch-off'],
  [
    'a node whose machine registers with too little is set DOWN',
    { state: 'IDLE+CLOUD+DRAIN+INVALID_REG', node: on, request: requestOf() },
    'set-down muster: its machine has less than slurm.conf says',
  ],
];

for (const [title, situation, expected] of table)
  test(title, (t) => {
    const all = decide(compared(situation)).map(
      ({ action, certain }) => `${action.do}${'reason' in action ? ` ${action.reason}` : ''}${certain ? '!' : ''}`,
    );
    t.is(all.join(), expected);
  });

test('the jobs of nodes are asked for where Slurm may not know that the node is up', (t) => {
  const asked = (state: string, node?: NodeState) => doubtful(compared({ state, ...(node ? { node } : {}) })).length;
  t.deepEqual(
    ['MIXED+CLOUD+POWERED_DOWN', 'ALLOCATED+CLOUD+POWERED_DOWN'].map((state) => asked(state)),
    [1, 1],
  );
  t.is(asked('ALLOCATED+CLOUD+POWERING_UP', again), 1);
  t.is(asked('ALLOCATED+CLOUD+POWERING_UP', on), 0, 'it waits for its machine');
  for (const state of ['IDLE+CLOUD+POWERED_DOWN', 'ALLOCATED+CLOUD', 'MIXED+CLOUD+POWERING_DOWN', 'DOWN+CLOUD'])
    t.is(asked(state, again), 0, state);
});

test('what may end something needs two looks in a row, a wrong registration four', (t) => {
  const looks = new Looks();
  const down = decide(compared({ state: 'IDLE+CLOUD' }));
  const wrong = decide(compared({ state: 'IDLE+CLOUD+INVALID_REG', node: on, request: requestOf() }));
  let now = 0;
  const due = (decided: ReturnType<typeof decide>) => looks.due(decided, (now += 15_000), 7_500).length;
  t.is(due(down), 0);
  t.is(due(down), 1);
  t.is(due(down), 0);
  t.is(due([]), 0);
  t.is(due(down), 0, 'another look in between begins anew');
  t.deepEqual(
    [1, 2, 3, 4].map(() => due(wrong)),
    [0, 0, 0, 1],
  );
});

test('two looks close together are one look, and a clock that is set back stops nothing', (t) => {
  const looks = new Looks();
  const down = decide(compared({ state: 'IDLE+CLOUD' }));
  const due = (now: number) => looks.due(down, now, 7_500).length;
  t.deepEqual([due(100_000), due(100_010), due(107_499), due(107_500)], [0, 0, 0, 1]);
  t.deepEqual([due(100_000), due(40_000)], [0, 1]);
});

test('machines of nodes that are off, or that have another order, are returned', (t) => {
  const from = compared({ state: 'IDLE+CLOUD', node: { ...on, state: 'off' } }).records;
  t.deepEqual(releasesOf(from, new Map([['req-1', requestOf()]])), [
    { request_id: 'req-1', cancel: false, machines: ['east/m-1'] },
  ]);
  t.deepEqual(releasesOf(from, new Map([['req-1', requestOf({ isOver: false, machines: [] })]])), [
    { request_id: 'req-1', cancel: true, machines: [] },
  ]);
  const returned = requestOf({ machines: [machineOf({ return_id: 'ret-1' })] });
  t.deepEqual(releasesOf(from, new Map([['req-1', returned]])), []);
});
