import { readFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import type { Page } from 'playwright-core';
import { createApp } from '../../../host/rest/app.ts';
import { machineOf } from '../../support/records.ts';
import { requested, startWorld, type World } from './world.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let world: World;
let render: any;

test.before(async () => {
  world = await startWorld({
    configuration: {
      budgets: [
        { name: 'everything', max_machines: 1_000, max_usd_per_hour: 500, max_usd_per_day: 9_000 },
        { name: 'n'.repeat(60), match: { template_id: 'none', tags: { team: 'b'.repeat(200) } }, max_vcpus: 0 },
      ],
    },
  });
  render = await requested(world.broker, 'render', 7);
});
test.after.always(() => world?.close());

const views = (): readonly string[] => [
  '/',
  '/requests',
  `/requests/${render.request_id}`,
  '/machines',
  '/capacity',
  '/providers',
  '/templates',
  '/templates/render',
  '/budgets',
  '/new-template',
  '/orphans',
  '/interruptions',
  '/nothing/here',
];

/** What axe finds serious or critical. */
async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run((globalThis as any).document);
    return violations
      .filter(({ impact }: any) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }: any) => nodes.map(({ html }: any) => `${id}: ${html.slice(0, 160)}`));
  });
}

const settled = async (page: Page): Promise<void> => {
  await page.getByText('Live', { exact: true }).waitFor();
  await page.waitForFunction(() => !(globalThis as any).document.querySelector('.loading'));
};

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [1440, 360])
    test.serial(
      `no view has a serious finding of axe, and none is wider than its window: ${colorScheme}, ${width} px`,
      async (t) => {
        for (const path of views()) {
          const { page } = await world.open(path, {
            colorScheme,
            viewport: { width, height: 800 },
            // What fades in has less contrast meanwhile.
            reducedMotion: 'reduce',
          });
          await settled(page);
          t.deepEqual(await findings(page), [], path);
          t.true(
            await page.evaluate(() => {
              const { scrollWidth, clientWidth } = (globalThis as any).document.documentElement;
              return scrollWidth <= clientWidth;
            }),
            `${path} is wider than ${width} px`,
          );
          t.is(await page.locator('h1').count(), 1, path);
          await page.context().close();
        }
      },
    );

test.serial('the dialog of a control has no serious finding either', async (t) => {
  const { page } = await world.open('/templates/render');
  await page.getByRole('button', { name: 'Request machines' }).click();
  await page.getByRole('dialog').waitFor();
  t.deepEqual(await findings(page), []);
});

test.serial('the page is used with the keyboard alone', async (t) => {
  const { page, troubles } = await world.open('/');
  await settled(page);
  const focused = (): Promise<string> =>
    page.evaluate(() => (globalThis as any).document.activeElement?.textContent?.trim() ?? '');
  await page.keyboard.press('Tab');
  t.is(await focused(), 'Skip to the content');
  for (let presses = 0; presses < 20 && (await focused()) !== 'Templates'; presses += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Templates', level: 1 }).waitFor();
  await page.waitForFunction(() => (globalThis as any).document.activeElement?.tagName === 'H1');
  await page.getByRole('link', { name: 'render' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Request machines' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.is(await focused(), 'Request machines');
  await page.goBack();
  await page.getByRole('heading', { name: 'Templates', level: 1 }).waitFor();
  t.deepEqual(troubles, []);
});

test.serial('read_only shows everything and no control', async (t) => {
  const readOnly = await startWorld({
    configuration: { server: { page: 'read_only', rate_limit: { enabled: false } } },
  });
  t.teardown(() => readOnly.close());
  const { request_id } = await requested(readOnly.broker, 'small', 2);
  for (const path of ['/', `/requests/${request_id}`, '/machines', '/providers', '/templates/small', '/orphans']) {
    const { page } = await readOnly.open(path);
    await settled(page);
    const controls = page.getByRole('button', { name: /^(Cancel|Return|Request machines|Check now|Select|End)/ });
    t.is(await controls.count(), 0, path);
    t.is(await page.getByRole('checkbox', { name: /^Select/ }).count(), 0, path);
    await page.getByText('Read only').waitFor();
    await page.context().close();
  }
  const { page } = await readOnly.open('/templates');
  await settled(page);
  t.is(await page.getByRole('link', { name: 'New template' }).count(), 0);
  await page.goto(`${readOnly.url}/ui/new-template`);
  await page.getByText('This page shows only.').waitFor();
  t.is(await page.locator('form').count(), 0);
  // It concerns the page alone.
  const made = await readOnly.broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
  t.is(made.status, 200);
});

test.serial(
  'a gateway may serve the page below a path of its own: every view, its links and the stream work',
  async (t) => {
    const gateway = createServer((from, to) => {
      if (!from.url?.startsWith('/farm/muster/')) return void to.writeHead(404).end();
      const upstream = forward(
        `${world.url}${from.url.slice('/farm/muster'.length)}`,
        { method: from.method ?? 'GET', headers: { ...from.headers, host: new URL(world.url).host } },
        (answer) => {
          to.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(to);
        },
      );
      upstream.on('error', () => to.destroy());
      to.on('close', () => upstream.destroy());
      from.pipe(upstream);
    });
    t.teardown(() => gateway.closeAllConnections());
    t.teardown(() => gateway.close());
    const port = await new Promise<number>((resolve) =>
      gateway.listen(0, '127.0.0.1', () => resolve((gateway.address() as AddressInfo).port)),
    );
    const at = `http://127.0.0.1:${port}/farm/muster`;
    const { page: first } = await world.open('/');
    const page = await first.context().newPage();
    await first.close();
    const troubles: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() >= 400 || !answer.url().startsWith(`${at}/`))
        troubles.push(`${answer.status()} ${answer.url()}`);
    });
    await page.goto(`${at}/`);
    await settled(page);
    t.is(page.url(), `${at}/ui/`);
    await page.getByRole('link', { name: 'Requests', exact: true }).click();
    await page.getByRole('link', { name: render.request_id }).click();
    await page.getByRole('heading', { name: render.request_id, level: 1 }).waitFor();
    t.is(page.url(), `${at}/ui/requests/${render.request_id}`);
    await page.reload();
    await settled(page);
    await page.getByText('All 7 machines were delivered').waitFor();
    await page.goto(`${at}/ui/templates/render`);
    await settled(page);
    await requested(world.broker, 'small', 1);
    await page.goto(`${at}/ui`);
    await page.getByText('1 machine of small requested').first().waitFor();
    t.deepEqual(troubles, []);
  },
);

test.serial('a lost server is reported, and the page goes on by itself when it is back', async (t) => {
  const away = await startWorld();
  t.teardown(() => away.close());
  const { page } = await away.open('/');
  await settled(page);
  const { port } = new URL(away.url);
  await away.broker.app.close();
  await page.getByText('Connection lost.').waitFor({ timeout: 20_000 });
  await page.getByText('The page tries again by itself.').waitFor();
  const app = createApp({ broker: away.broker.broker });
  t.teardown(() => app.close());
  await app.listen({ port: Number(port), host: '127.0.0.1' });
  await page.getByText('Connection lost.').waitFor({ state: 'detached' });
  const made = await app.inject({
    method: 'POST',
    url: '/api/v1/machines/request',
    payload: { template_id: 'small', machine_count: 2 },
  });
  t.is(made.statusCode, 200);
  await page.getByText('2 machines of small requested').waitFor();
});

test.serial(
  '100 000 machines are listed, and any of them is reached; only those in sight exist in the page',
  async (t) => {
    const many = await startWorld({ loop: 'none' });
    t.teardown(() => many.close());
    const total = 100_000;
    for (let first = 0; first < total; first += 5_000)
      await many.broker.broker.store.commit(
        Array.from({ length: 5_000 }, (_, index) => ({
          op: 'put',
          kind: 'machine',
          record: machineOf(`i-${String(first + index).padStart(6, '0')}`, { created_at: 1_000 + first + index }),
        })),
      );
    const { page, troubles } = await many.open('/machines');
    await page.getByText('100\u202f000 machines in this list.').waitFor();
    await page.getByRole('row', { name: 'i-099999' }).waitFor();
    const list = page.getByRole('table', { name: 'Machines' });
    t.is(await list.getAttribute('aria-rowcount'), String(total + 1));
    await list.evaluate((element: any) => element.scrollTo(0, element.scrollHeight));
    await page.getByRole('row', { name: 'i-000000' }).waitFor();
    await list.evaluate((element: any) => element.scrollTo(0, element.scrollHeight / 2));
    await page.getByRole('row', { name: 'i-050000' }).waitFor();
    t.true((await page.getByRole('row').count()) < 100);
    await page.getByRole('button', { name: 'Select the first 10\u202f000' }).click();
    await page.getByRole('button', { name: 'Return 10\u202f000 machines' }).waitFor();
    t.deepEqual(troubles, []);
  },
);
