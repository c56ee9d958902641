/**
 * Takes the pictures of docs/guides/page.md: every view, in both themes. `npm run page:screenshots`, with the
 * names of views to take only those.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { smallPng } from './small-png.ts';
import { requested, startWorld, worldTemplates } from './world.ts';

const to = join(import.meta.dirname, '../../../docs/guides/page');
mkdirSync(to, { recursive: true });
const spread = { min: 300, max: 2_600 };
const capacity = [
  { zone: 'us-east-1b', instance_type: 'm5.large', count: 4 },
  { zone: 'us-east-1c', instance_type: 'c6i.xlarge', count: 2 },
  { instance_type: 'p4d.24xlarge', count: 0 },
] as const;
const subnet_ids = ['subnet-1', 'subnet-2', 'subnet-3', 'subnet-4', 'subnet-5', 'subnet-6'];
const single = (template_id: string, machine_type: string, price_type: string) => ({
  template_id,
  provider_api: 'RunInstances',
  image_id: 'ami-1',
  machine_type,
  price_type,
  subnet_ids,
});
const templates = [
  ...worldTemplates,
  single('compile', 'c6i.xlarge', 'ondemand'),
  single('training', 'p4d.24xlarge', 'spot'),
  single('render-spot', 'm5.large', 'spot'),
];
const world = await startWorld({
  templates,
  settings: { discovery_first_ms: 100, observe_resting_ms: 300, observe_moving_ms: 100 },
  knobs: { capacity, boot_ms: spread, shutdown_ms: 300 },
  configuration: {
    budgets: [
      { name: 'everything', max_machines: 500, max_usd_per_hour: 40 },
      { name: 'render', match: { template_id: 'render' }, max_machines: 15, max_usd_per_day: 25 },
      { name: 'spot', match: { price_type: 'spot' }, max_vcpus: 64 },
    ],
  },
});
const { broker } = world;
const [fleet, render, spot] = await Promise.all([
  requested(broker, 'fleet', 60),
  requested(broker, 'render', 9),
  requested(broker, 'spot-mix', 6),
]);
await Promise.all([requested(broker, 'small', 4), requested(broker, 'render-spot', 3)]);
const machinesOf = async (request_id: string): Promise<readonly string[]> =>
  (await broker.call('GET', `/inventory/?request_id=${request_id}`)).body.machines.map((each: any) => each.machine_id);
await broker.call('POST', '/machines/return', { machine_ids: (await machinesOf(render.request_id)).slice(0, 2) });
const [taken] = await machinesOf(spot.request_id);
broker.simulator.setKnobs({ reclaim: [{ instance_ids: [taken as string], notice_s: 120 }], boot_ms: 120_000 });
const orphans = [
  { kind: 'machine', id: 'i-0f3c5a1b9e7d24680', request_id: 'req-01a1f3c2-7e51-7b1c-9d0a-52c1e0f7a611', attempt: 1 },
].map((orphan) => ({
  ...orphan,
  created_at: new Date(Date.now() - 5_400_000).toISOString(),
  first_seen: Date.now() - 1_260_000,
  reason: `No order 1 of request ${orphan.request_id} is stored.`,
}));
const fact = { topic: 'orphans', name: 'east', item: '', value: { count: 1, orphans }, at: Date.now() - 60_000 };
await broker.broker.store.commit([{ op: 'put', kind: 'fact', record: fact }]);
await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 12 });
await broker.call('POST', '/machines/request', { template_id: 'render', machine_count: 5 });
await broker.call('POST', '/machines/request', { template_id: 'compile', machine_count: 6 });
await broker.call('POST', '/machines/request', { template_id: 'training', machine_count: 2 });
await sleep(1_500);

// What passes by itself comes first.
const views: Readonly<Record<string, string>> = {
  interruptions: '/interruptions',
  capacity: '/capacity',
  now: '/',
  requests: '/requests',
  request: `/requests/${render.request_id}`,
  'large-request': `/requests/${fleet.request_id}`,
  machines: '/machines',
  providers: '/providers',
  templates: '/templates',
  template: '/templates/render',
  budgets: '/budgets',
  'new-template': '/new-template',
  orphans: '/orphans',
};
const wanted = process.argv.slice(2);
for (const [name, path] of Object.entries(views).filter(([each]) => wanted.length === 0 || wanted.includes(each)))
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, troubles } = await world.open(path, { colorScheme, viewport: { width: 1200, height: 740 } });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.waitForFunction(() => !(globalThis as any).document.querySelector('.loading'));
    await sleep(700);
    writeFileSync(join(to, `${name}-${colorScheme}.png`), smallPng(await page.screenshot()));
    if (troubles.length > 0) console.error(name, troubles);
    await page.context().close();
  }
await world.close();
