import test, { type ExecutionContext } from 'ava';
import { makeScheduler, pollUntil, type Ended } from './support.ts';

// The exchanges that were recorded between HostFactory and IBM's plug-in for AWS, with their templates, inputs and
// counts. Ids, hosts and times are ours.

const attributes = {
  nram: ['Numeric', '1024'],
  ncpus: ['Numeric', '1'],
  ncores: ['Numeric', '1'],
  type: ['String', 'X86_64'],
};
const offered = [
  { templateId: 'OnDemand-Minimal-Template-VM', maxNumber: 10, attributes, pgrpName: null, onDemandCapacity: 0 },
  {
    templateId: 'Spot-Template-VM',
    maxNumber: 10,
    attributes,
    vmTypes: { 'm3.medium': 1 },
    instanceTags: 'company=abc;project=awscloud;team=xyz',
    pgrpName: null,
    onDemandCapacity: 0,
  },
];
/** What the recording does not show of its template file, because the plug-in kept it to itself. */
const launched = { imageId: 'ami-1', subnetId: 'subnet-1' };
const [onDemand, spot] = offered;
const templates = [
  { ...onDemand, ...launched, vmType: 't3.small' },
  { ...spot, ...launched, priceType: 'spot', fleetRole: 'arn:aws:iam::123456789012:role/fleet' },
];

type Field = readonly [name: string, is: (value: unknown) => boolean];

const text = (value: unknown): boolean => typeof value === 'string' && value !== '';
const textOrNull = (value: unknown): boolean => value === null || text(value);
const ip = (value: unknown): boolean => /^\d+(\.\d+){3}$/.test(String(value));

/** A machine as it was recorded, with what stood in each field. */
const machine: readonly Field[] = [
  ['machineId', (value) => /^i-[0-9a-f]{17}$/.test(String(value))],
  ['name', (value) => /^ip-[0-9-]+\.ec2\.internal$/.test(String(value))],
  ['result', (value) => ['executing', 'fail', 'succeed'].includes(String(value))],
  [
    'status',
    (value) => ['pending', 'running', 'shutting-down', 'stopping', 'stopped', 'terminated'].includes(String(value)),
  ],
  ['privateIpAddress', ip],
  ['publicIpAddress', textOrNull],
  ['launchtime', (value) => Number.isInteger(value) && Math.abs(Number(value) - Date.now() / 1000) < 600],
  ['message', (value) => typeof value === 'string'],
  ['priceType', (value) => value === 'spot' || value === 'ondemand'],
  ['instanceType', text],
  ['instanceTags', (value) => typeof value === 'string'],
  ['cloudHostId', (value) => value === null],
];

function hasFields(t: ExecutionContext, value: any, fields: readonly Field[]): void {
  t.deepEqual(Object.keys(value).toSorted(), fields.map(([name]) => name).toSorted());
  for (const [name, is] of fields) t.true(is(value[name]), `${name}: ${JSON.stringify(value[name])}`);
}

/** Ended well, with JSON on standard output and nothing anywhere else. */
function well(t: ExecutionContext, { code, stdout, stderr, answer }: Ended): any {
  t.deepEqual([code, stderr], [0, ''], stdout);
  t.is(stdout, `${JSON.stringify(answer)}\n`);
  return answer;
}

test('the recorded exchanges, played through the scripts, are answered in the recorded shape', async (t) => {
  const plugins = [
    'cloud',
    'cloud-runinstances',
    'cloud-spotfleet',
    'hostfactory-format',
    'default-format',
    'storage-sqlite',
  ];
  const scheduler = await makeScheduler({
    templates,
    configuration: { plugins },
    knobs: { boot_ms: 3_000, shutdown_ms: 1_500 },
  });
  t.teardown(scheduler.close);
  const play = async (...call: Parameters<typeof scheduler.run>) => well(t, await scheduler.run(...call));

  const available = await play('getAvailableTemplates', {});
  t.is(available.message, 'Get available templates success.');
  t.deepEqual(
    available.templates.map((each: any) => each.templateId),
    offered.map(({ templateId }) => templateId),
  );
  for (const [index, recorded] of offered.entries()) t.like(available.templates[index], recorded);
  for (const { attributes: pairs } of available.templates)
    for (const pair of Object.values(pairs))
      t.true(Array.isArray(pair) && pair.length === 2 && pair.every(text), JSON.stringify(pair));

  const requested = await play('requestMachines', { template: { templateId: 'Spot-Template-VM', machineCount: 10 } });
  hasFields(t, requested, [
    ['message', text],
    ['requestId', text],
  ]);
  const refused = await scheduler.run('requestMachines', {
    template: { templateId: 'Spot-Template-VM', machineCount: 10 },
  });
  t.deepEqual([refused.code, refused.stderr], [1, ''], 'ten are all that there may be');
  hasFields(t, refused.answer, [['message', text]]);

  const requests = [{ requestId: requested.requestId }];
  const seen = new Set<string>();
  const complete = await pollUntil(async () => {
    const answer = await play('getRequestStatus', { requests });
    t.deepEqual(Object.keys(answer), ['requests']);
    hasFields(t, answer.requests[0], [
      ['requestId', (value) => value === requested.requestId],
      ['status', (value) => ['running', 'complete', 'complete_with_error'].includes(String(value))],
      ['message', text],
      ['machines', Array.isArray],
    ]);
    for (const { result } of answer.requests[0].machines) seen.add(`${answer.requests[0].status} ${result}`);
    return answer.requests[0].status !== 'running' && answer.requests[0];
  });
  t.is(complete.status, 'complete');
  t.true(seen.has('running executing'), [...seen].join());
  t.is(complete.machines.length, 10);
  for (const each of complete.machines) {
    hasFields(t, each, machine);
    t.like(each, {
      result: 'succeed',
      status: 'running',
      message: '',
      priceType: 'spot',
      instanceType: 'm3.medium',
      instanceTags: 'company=abc;project=awscloud;team=xyz',
    });
  }

  // The example of eight hosts: HostFactory sends names and ids, and all its hosts when it asks what the cloud takes
  // back.
  const machines = complete.machines.slice(0, 8).map(({ name, machineId }: any) => ({ name, machineId }));
  const calm = await play('getReturnRequests', { machines });
  hasFields(t, calm, [
    ['status', (value) => value === 'complete'],
    ['message', text],
    ['requests', (value) => Array.isArray(value) && value.length === 0],
  ]);
  scheduler.place.simulator.setKnobs({ reclaim: [{ instance_ids: [machines[0].machineId], notice_s: 120 }] });
  // Machines at rest are looked at every half minute, and when somebody asks how they are.
  const taken = await pollUntil(async () => {
    await play('getRequestStatus', { requests });
    const answer = await play('getReturnRequests', { machines });
    return answer.requests.length > 0 && answer;
  }, 1_000);
  t.is(taken.requests.length, 1);
  hasFields(t, taken.requests[0], [
    ['machine', (value) => value === machines[0].name],
    ['machineId', (value) => value === machines[0].machineId],
    ['gracePeriod', (value) => Number.isInteger(value) && Number(value) > 60 && Number(value) <= 120],
  ]);

  // Their end takes until a poll has seen it, however late the polls come.
  const endsIn = 120_000;
  scheduler.place.simulator.setKnobs({ shutdown_ms: endsIn });
  const returned = await play('requestReturnMachines', { machines });
  hasFields(t, returned, [
    ['message', text],
    ['requestId', (value) => String(value).startsWith('ret-')],
  ]);
  const going = new Set<string>();
  const back = await pollUntil(async () => {
    // Acquiring and returning ids share the call.
    const answer = await play('getRequestStatus', { requests: [{ requestId: returned.requestId }, ...requests] });
    t.deepEqual(
      answer.requests.map((each: any) => each.requestId),
      [returned.requestId, requested.requestId],
    );
    t.is(answer.requests[1].status, 'complete', 'what has ended stays as it ended');
    const wasSeen = going.has('executing');
    for (const { result } of answer.requests[0].machines) going.add(result);
    if (!wasSeen && going.has('executing')) scheduler.place.simulator.advance(endsIn);
    return answer.requests[0].status !== 'running' && answer.requests[0];
  });
  t.is(back.status, 'complete');
  t.true(going.has('executing'));
  t.is(back.machines.length, 8);
  for (const each of back.machines) {
    hasFields(t, each, machine);
    t.like(each, { result: 'succeed', status: 'terminated', message: '' });
  }

  const nothing = await play('requestReturnMachines', { machines });
  t.is(nothing.message, 'No Active VM.');
  t.regex(nothing.requestId, /^ret-/);
  t.not(nothing.requestId, returned.requestId);

  // Whatever is logged, and wherever, standard output has the answer alone.
  const talkative = await scheduler.run(
    'getRequestStatus',
    { requests },
    { HF_LOGLEVEL: 'LOG_DEBUG', HF_PROVIDER_LOGDIR: '' },
  );
  t.is(talkative.stdout, `${JSON.stringify(talkative.answer)}\n`);
  t.regex(talkative.stderr, /^\{"level":"debug".*"script":"getRequestStatus"/);
});
