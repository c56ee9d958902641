import test from 'ava';
import type { Browser, Page } from 'playwright-core';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';
import { launchBrowser } from '../../support/browser.ts';

type Json = Readonly<Record<string, any>>;

let broker: BootedBroker;
let browser: Browser;
let url: string;
let operations: readonly Json[];

test.before(async () => {
  // Limits are as narrow as can be: the pages do not count.
  const rate_limit = { provider: 1, template: 1, request: 1, validation: 1 };
  broker = await bootBroker({ storage: 'memory', loop: 'none', configuration: { server: { rate_limit } } });
  browser = await launchBrowser();
  url = await broker.app.listen({ port: 0, host: '127.0.0.1' });
  const document = (await broker.app.inject('/openapi.json')).json() as Json;
  operations = Object.values(document['paths'] as Json).flatMap((item) => Object.values(item as Json));
});
test.after.always(async () => {
  await browser?.close();
  await broker?.close();
});

/**
 * A page, and everything that went wrong with it: messages of errors, violations of the policy, calls that left the
 * server or failed.
 */
async function open(path: string): Promise<{ readonly page: Page; readonly troubles: readonly string[] }> {
  const page = await browser.newPage();
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'log' && message.type() !== 'info') troubles.push(message.text());
  });
  page.on('pageerror', (error) => void troubles.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:'))
      troubles.push(`leaves: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) troubles.push(`${response.status()} ${response.url()}`);
  });
  await page.addInitScript(() =>
    (globalThis as any).document.addEventListener('securitypolicyviolation', (event: any) =>
      console.error(`violates ${event.violatedDirective}: ${event.blockedURI}`),
    ),
  );
  await page.goto(`${url}${path}`);
  return { page, troubles };
}

test('/docs shows every operation, and one can be tried, without trouble', async (t) => {
  const { page, troubles } = await open('/docs');
  await page.getByText('call_operation').first().waitFor();
  const text = await page.locator('body').innerText();
  for (const { operationId, summary } of operations) {
    t.true(text.includes(operationId), operationId);
    t.true(text.includes(summary), summary);
  }
  const block = page.locator('#operations-Templates-get_template');
  await block.locator('button').first().click();
  await block.getByRole('button', { name: 'Try it out' }).click();
  await block.getByRole('button', { name: 'Execute' }).click();
  await block.locator('.live-responses-table').getByText('"template_id"').first().waitFor();
  t.regex(await block.locator('.live-responses-table').innerText(), /200[^]*x-ratelimit-remaining: 0/);
  if (process.env['SCREENSHOTS'])
    await page.screenshot({ path: `${process.env['SCREENSHOTS']}/docs.png`, fullPage: true });
  t.deepEqual(troubles, []);
});

test('/redoc shows every operation without trouble', async (t) => {
  const { page, troubles } = await open('/redoc');
  await page.getByText('API docs by Redocly').waitFor();
  const text = await page.locator('body').innerText();
  for (const { summary } of operations) t.true(text.includes(summary), summary);
  if (process.env['SCREENSHOTS']) await page.screenshot({ path: `${process.env['SCREENSHOTS']}/redoc.png` });
  t.deepEqual(troubles, []);
});
