import test from 'ava';
import { compile, type MachineRecord, type RequestRecord, type SchedulerStrategy } from '../../../core/index.ts';
import plugin from '../../../plugins/hostfactory-format/index.ts';

const [hostfactory, lsf] = plugin.schedulers as [SchedulerStrategy, SchedulerStrategy];
const at = Date.UTC(2026, 0, 1);
const request: RequestRecord = {
  request_id: 'req-1',
  kind: 'provision',
  status: 'completed',
  template_id: 'mixed',
  template: {
    template_id: 'mixed',
    machine_types: { 'm5.large': 1, 'm5.xlarge': 2 },
    price_type: 'mixed',
    tags: { team: 'a' },
  },
  tags: { RC_ACCOUNT: 'research' },
  machine_count: 2,
  holds: 2,
  delivered: 2,
  message: 'Done.',
  created_at: at,
  deadline_at: at,
  next_at: null,
  version: 1,
  epoch: 1,
};
const machine = (machine_id: string, more: Partial<MachineRecord>): MachineRecord => ({
  provider_instance: 'east',
  machine_id,
  request_id: 'req-1',
  attempt: 1,
  template_id: 'mixed',
  status: 'running',
  created_at: at,
  ready_at: at,
  ...more,
});
const machines = [
  machine('i-1', { machine_type: 'm5.xlarge', market: 'spot' }),
  machine('i-2', { machine_type: 'm5.large', market: 'on-demand' }),
  machine('i-3', {}),
];
const typeOf = ({ machine_type }: MachineRecord) =>
  machine_type === undefined ? undefined : { name: machine_type, vcpus: 4, cores: 2, memory_mib: 1, arch: 'x86_64' };
const shown = ({ status }: SchedulerStrategy, detail: object): any[] => {
  const view = status.render({ request, machines, typeOf, ...detail }) as { requests: [{ machines: any[] }] };
  if (compile(status.schema).parse(view).findings) throw new Error('not as its schema says');
  return view.requests[0].machines;
};

test('a machine of a fleet shows its own type and price, and the template’s only if the provider reported none', (t) => {
  t.deepEqual(
    shown(hostfactory, {}).map(({ instanceType, priceType }) => [instanceType, priceType]),
    [
      ['m5.xlarge', 'spot'],
      ['m5.large', 'ondemand'],
      [undefined, 'heterogeneous'],
    ],
  );
  t.is(shown(hostfactory, {})[0].instanceTags, 'team=a;RC_ACCOUNT=research');
});

test('LSF gets cores, threads, life cycle and account, and no price; unknown values are omitted', (t) => {
  const extras = shown(lsf, {}).map(({ rcAccount, lifeCycleType, ncores, nthreads, priceType }) => ({
    rcAccount,
    lifeCycleType,
    ncores,
    nthreads,
    priceType,
  }));
  t.deepEqual(extras, [
    { rcAccount: 'research', lifeCycleType: 'Spot', ncores: 2, nthreads: 4, priceType: undefined },
    { rcAccount: 'research', lifeCycleType: 'OnDemand', ncores: 2, nthreads: 4, priceType: undefined },
    { rcAccount: 'research', lifeCycleType: undefined, ncores: undefined, nthreads: undefined, priceType: undefined },
  ]);
  t.false('rcAccount' in shown(lsf, { request: { ...request, tags: undefined } })[0]);
  t.false('ncores' in shown(hostfactory, {})[0]);
});

test('a machine that failed is called what its end is, in a word that schedulers know', (t) => {
  const failed = (more: Partial<MachineRecord>) =>
    shown(hostfactory, {
      request: { ...request, machine_count: 3 },
      machines: [machine('i-1', { status: 'failed', ...more })],
    })[0];
  t.like(failed({ going: 'failed' }), { status: 'shutting-down', result: 'fail' });
  t.like(failed({ going: 'failed', gone_at: at }), { status: 'terminated', result: 'fail' });
});

test('the fields of a machine are its own in a return too', (t) => {
  const [first] = shown(hostfactory, {
    request: { ...request, kind: 'return', template: undefined },
    machine_keys: [],
  });
  t.like(first, { instanceType: 'm5.xlarge', priceType: 'spot' });
});

test('a template says how many can be had only where something is known of it', (t) => {
  const render = (available?: number) =>
    (
      hostfactory.templates.render({
        items: [{ template: { template_id: 'a' }, ...(available === undefined ? {} : { available }) }],
        total_count: 1,
        at,
      }) as any
    ).templates[0];
  t.is(render(0).availableNumber, 0);
  t.is(render(3).availableNumber, 3);
  t.false('availableNumber' in render());
});

test('LSF finds mem where the file says nram, and what the file says of mem', (t) => {
  const attributes = (given: object) =>
    (
      lsf.templates.render({
        items: [{ template: { template_id: 'a', attributes: given } as any }],
        total_count: 1,
        at,
      }) as any
    ).templates[0].attributes;
  t.deepEqual(attributes({ nram: 2048 }).mem, ['Numeric', '2048']);
  t.deepEqual(attributes({ mem: ['Numeric', '512'] }).mem, ['Numeric', '512']);
  t.deepEqual(attributes({}).mem, ['Numeric', '1024']);
});
