import test from 'ava';
import { newEvent } from '../../../core/contract/commits/new-event.ts';
import type { Change } from '../../../core/index.ts';
import { attemptOf, machineOf, requestOf } from '../../support/records.ts';
import { startWorld, worldTemplates, type World } from './world.ts';

/** Names and messages come from callers, clouds and files. This one tries markup, a terminal, and a turned direction. */
const evil = `<img src=x onerror="alert(1)">"'&;\`$(id)\u202Eelif.exe\u0007\u001b[31m{{constructor}} javascript:alert(1)`;
/** As an encoded message of AWS about a refused permission is: thousands of letters without a gap. */
const long = 'x'.repeat(10_000);
const longId = 'r'.repeat(200);

let world: World;
test.before(async () => {
  const templates = [
    ...worldTemplates,
    { ...worldTemplates[0], template_id: 'a'.repeat(128), name: evil, description: evil + long, tags: { evil } },
  ];
  world = await startWorld({ loop: 'none', templates } as never);
  const now = Date.now();
  const hostile: Partial<Parameters<typeof requestOf>[0]> = {
    message: evil + long,
    template_id: evil,
    provider_instance: evil,
  };
  const times = { created_at: now - 5_000, deadline_at: now + 100_000 };
  const failed = { status: 'failed', delivered: 0, completed_at: now } as const;
  const reason = { kind: 'capacity', code: `C${long}`, offer: long, message: evil + long } as const;
  const requests = [
    requestOf({ request_id: 'req-evil', ...hostile, ...times }),
    requestOf({ request_id: longId, ...hostile, ...times, ...failed, template_id: 'a'.repeat(128) }),
  ];
  const attempt = attemptOf(1, { request_id: 'req-evil', provider_instance: longId, api: evil, shortfall: [reason] });
  const machines = [
    machineOf('i-evil', { name: evil, private_ip: evil, machine_type: evil, zone: evil, message: evil + long }),
    machineOf(`i-${longId}`, {
      name: long,
      machine_type: long,
      zone: longId,
      reclaim_at: new Date(now + 60_000).toISOString(),
    }),
  ].map((machine) => ({ ...machine, request_id: 'req-evil', template_id: evil, created_at: now }));
  const events = ['request.failed', 'orphan.found', 'machine.lost', longId, '__proto__', 'constructor'].map((type) =>
    newEvent(now, type as never, { message: evil + long, id: evil + long, provider_instance: evil }, 'req-evil'),
  );
  await world.broker.broker.store.commit([
    ...requests.map((record): Change => ({ op: 'insert', kind: 'request', record })),
    { op: 'put', kind: 'attempt', record: { ...attempt, outcomes: [{ at: now, ...reason }] } },
    ...machines.map((record): Change => ({ op: 'put', kind: 'machine', record })),
    ...events,
  ]);
});
test.after.always(() => world?.close());

for (const width of [1440, 360])
  test.serial(`texts of others are shown as text, and are no wider than the window: ${width} px`, async (t) => {
    for (const path of [
      '/',
      '/requests',
      '/requests/req-evil',
      `/requests/${longId}`,
      '/machines',
      '/templates',
      `/templates/${'a'.repeat(128)}`,
      '/capacity',
      '/interruptions',
    ]) {
      const { page, troubles } = await world.open(path, { viewport: { width, height: 800 } });
      page.on('dialog', () => t.fail(`${path} ran a script`));
      await page.getByText('Live', { exact: true }).waitFor();
      await page.waitForFunction(() => !(globalThis as any).document.querySelector('.loading'));
      const { over, images } = await page.evaluate(() => {
        const { document } = globalThis as any;
        const { scrollWidth, clientWidth } = document.documentElement;
        return { over: scrollWidth - clientWidth, images: document.querySelectorAll('main img').length };
      });
      t.deepEqual([over, images, troubles], [0, 0, []], path);
      t.is(await page.locator('h1').count(), 1, path);
      await page.context().close();
    }
  });

test.serial('a name that turns the direction of text does not turn the text beside it', async (t) => {
  const { page } = await world.open('/');
  const detail = page.locator('.open-request', { hasText: 'req-evil' }).locator('time').first();
  await detail.waitFor();
  const { left, before } = await detail.evaluate((time: any) => ({
    left: time.getBoundingClientRect().left,
    before: time.previousElementSibling.getClientRects()[time.previousElementSibling.getClientRects().length - 1],
  }));
  t.true(left >= before.right - 1, 'the time stands behind the name');
});
