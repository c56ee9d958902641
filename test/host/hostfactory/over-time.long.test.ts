import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { driver } from './driver.ts';
import { makeScheduler } from './support.ts';

const file = { maxNumber: 10, imageId: 'ami-1', subnetId: 'subnet-1' };
const templates = [
  { templateId: 'one', vmType: 't3.small', ...file },
  { templateId: 'fleet', vmTypes: { 't3.small': 1, 't3.medium': 2 }, ...file },
];

test('a scheduler over time, with a broker that is killed between its calls: every host comes once and goes once', async (t) => {
  const scheduler = await makeScheduler({ templates, knobs: { boot_ms: 300, shutdown_ms: 300 } });
  t.teardown(scheduler.close);
  const { simulator } = scheduler.place;
  let kills = 0;
  // After the templates, after each demand, and later ever more seldom.
  const deadly = new Set([1, 2, 3, 7, 12]);
  const scheduling = driver(scheduler, async (call) => {
    if (!deadly.has(call)) return;
    await scheduler.killServer();
    kills += 1;
  });
  const live = () => Object.values(simulator.ledger().live).flat().toSorted();
  const believed = () => [...scheduling.hosts.values()].map(({ machineId }) => machineId).toSorted();

  // No server runs: the first call starts one.
  t.deepEqual(
    (await scheduling.start()).map(({ templateId, availableNumber }) => [templateId, availableNumber]),
    [
      ['fleet', 10],
      ['one', 10],
    ],
  );
  await scheduling.pending('one', 3);
  await scheduling.pending('fleet', 4);
  await scheduling.settle();
  t.is(scheduling.hosts.size, 7);
  t.deepEqual(believed(), live());

  // Some go back while others are asked for.
  await scheduling.giveBack([...scheduling.hosts.values()].slice(0, 3));
  await scheduling.pending('one', 2);
  await scheduling.settle();
  t.is(scheduling.hosts.size, 6);
  t.deepEqual(believed(), live());

  // A scheduler that starts anew knows no host for a while: nothing is ended for that.
  const forgotten = scheduling.forget();
  for (let times = 0; times < 3; times++) await scheduling.tick();
  t.is(live().length, 6);
  forgotten.remember();
  await scheduling.tick();
  t.is(scheduling.hosts.size, 6);

  // One by its name alone, as the documentation has it, beside one that nobody knows; then all, that one among them.
  const [first] = scheduling.hosts.values();
  const byName = await scheduler.run('requestReturnMachines', {
    machines: [{ name: first?.name }, { name: 'ip-1-2-3-4.ec2.internal' }],
  });
  t.regex(byName.answer.requestId, /^ret-/);
  await scheduling.giveBack([...scheduling.hosts.values()]);
  await scheduling.settle();
  t.is(scheduling.hosts.size, 0);
  t.deepEqual(live(), []);

  t.is(kills, deadly.size);
  const started = Object.values(simulator.ledger().launches).reduce((sum, count) => sum + count, 0);
  t.is(started, 9, 'as many as were asked for, and none twice');

  // What went well is not logged; what failed is, in the scheduler's log directory.
  t.deepEqual(readdirSync(scheduler.logs), []);
  const failed = await scheduler.run('requestMachines', { template: { templateId: 'none', machineCount: 1 } });
  t.deepEqual([failed.code, failed.stderr], [1, '']);
  const [log = ''] = readdirSync(scheduler.logs);
  t.regex(log, /^awsinst-provider\.log\./);
  t.regex(
    readFileSync(join(scheduler.logs, log), 'utf8'),
    /"script":"requestMachines","exit_code":1.*The template does not exist/,
  );
  t.true(existsSync(join(scheduler.data, 'server.log')));
});
