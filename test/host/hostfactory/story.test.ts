import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { until } from '../../support/boot-broker.ts';
import { makeScheduler, type Scheduler } from './support.ts';

const templates = [
  {
    templateId: 'Spot-Template-VM',
    maxNumber: 10,
    attributes: { nram: ['Numeric', '1024'], ncpus: ['Numeric', '1'], ncores: ['Numeric', '1'], type: ['String', 'X86_64'] },
    vmType: 't3.small',
    priceType: 'spot',
    providerApi: 'RunInstances',
    imageId: 'ami-1',
    subnetId: 'subnet-1',
    instanceTags: 'company=abc;project=awscloud;team=xyz',
    pgrpName: null,
    onDemandCapacity: 0,
  },
];

async function ended(scheduler: Scheduler, requestId: string): Promise<any> {
  const seen: string[] = [];
  const last = await until(async () => {
    const { answer } = await scheduler.run('getRequestStatus', { requests: [{ requestId }] });
    const [request] = answer.requests;
    seen.push(request.status);
    return request.status !== 'running' && request;
  });
  return { ...last, seen };
}

test('a scheduler’s day: templates, machines, a reclaim, a return, and a broker that is killed three times between calls', async (t) => {
  const scheduler = await makeScheduler({ templates, knobs: { boot_ms: 50, shutdown_ms: 50 } });
  t.teardown(scheduler.close);

  // No server runs: the first call starts one.
  const offered = await scheduler.run('getAvailableTemplates');
  t.is(offered.code, 0, offered.stdout);
  t.is(offered.stderr, '');
  t.like(offered.answer, { message: 'Get available templates success.' });
  t.like(offered.answer.templates[0], {
    templateId: 'Spot-Template-VM',
    maxNumber: 10,
    availableNumber: 10,
    attributes: { nram: ['Numeric', '1024'], ncpus: ['Numeric', '1'], ncores: ['Numeric', '1'], type: ['String', 'X86_64'] },
    instanceTags: 'company=abc;project=awscloud;team=xyz',
    onDemandCapacity: 0,
    pgrpName: null,
    priceType: 'spot',
  });

  const asked = await scheduler.run('requestMachines', { template: { templateId: 'Spot-Template-VM', machineCount: 3 } });
  t.is(asked.code, 0, asked.stdout);
  t.deepEqual(Object.keys(asked.answer), ['message', 'requestId']);
  await scheduler.killServer();

  const request = await ended(scheduler, asked.answer.requestId);
  t.is(request.status, 'complete');
  t.is(request.seen.at(-2) ?? 'running', 'running');
  t.is(request.machines.length, 3);
  t.deepEqual(Object.keys(request.machines[0]).toSorted(), [
    'cloudHostId',
    'instanceTags',
    'instanceType',
    'launchtime',
    'machineId',
    'message',
    'name',
    'priceType',
    'privateIpAddress',
    'publicIpAddress',
    'result',
    'status',
  ]);
  for (const machine of request.machines) {
    t.like(machine, { result: 'succeed', status: 'running', message: '', priceType: 'spot', instanceType: 't3.small', cloudHostId: null });
    t.is(machine.instanceTags, 'company=abc;project=awscloud;team=xyz');
    t.regex(machine.name, /^ip-.*internal$/);
    t.true(Number.isInteger(machine.launchtime) && Math.abs(machine.launchtime - Date.now() / 1000) < 120);
  }
  await scheduler.killServer();

  // The cloud takes one back: told with the seconds that are left, and with the name that the scheduler has.
  const hosts = request.machines.map(({ name, machineId }: any) => ({ name, machineId }));
  const calm = await scheduler.run('getReturnRequests', { machines: hosts });
  t.deepEqual([calm.code, calm.answer.status, calm.answer.requests], [0, 'complete', []]);
  scheduler.place.simulator.setKnobs({ reclaim: [{ instance_ids: [hosts[0].machineId], notice_s: 120 }] });
  const [notice, ...others] = await until(async () => {
    const { answer } = await scheduler.run('getReturnRequests', { machines: hosts });
    return answer.requests.length > 0 && answer.requests;
  });
  t.deepEqual(others, []);
  t.like(notice, { machine: hosts[0].name, machineId: hosts[0].machineId });
  t.true(notice.gracePeriod > 60 && notice.gracePeriod <= 120, String(notice.gracePeriod));

  // One by name alone, as the documentation has it; the others as the scheduler really does.
  const returned = await scheduler.run('requestReturnMachines', { machines: [{ name: hosts[0].name }, hosts[1], hosts[2]] });
  t.is(returned.code, 0, returned.stdout);
  t.regex(returned.answer.requestId, /^ret-/);
  await scheduler.killServer();
  const back = await ended(scheduler, returned.answer.requestId);
  t.is(back.status, 'complete');
  t.deepEqual(
    back.machines.map(({ machineId, result, status }: any) => [machineId, result, status]),
    hosts.map(({ machineId }: any) => [machineId, 'succeed', 'terminated']),
  );
  t.deepEqual(scheduler.place.simulator.ledger().live, {});
  t.is(
    Object.values(scheduler.place.simulator.ledger().launches).reduce((sum, n) => sum + n, 0),
    3,
    'nothing was started twice',
  );

  // What went well is not logged; what failed is, in the scheduler's log directory.
  t.deepEqual(readdirSync(scheduler.logs), []);
  const failed = await scheduler.run('requestMachines', { template: { templateId: 'none', machineCount: 1 } });
  t.is(failed.code, 1);
  t.is(failed.stderr, '');
  const [log = ''] = readdirSync(scheduler.logs);
  t.regex(log, /^awsinst-provider\.log\./);
  t.regex(readFileSync(join(scheduler.logs, log), 'utf8'), /"script":"requestMachines","exit_code":1.*The template does not exist/);
  t.true(existsSync(join(scheduler.data, 'server.log')));
});
