import { createRequire } from 'node:module';
import test from 'ava';
import type { Browser, Page } from 'playwright-core';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';
import { launchBrowser } from '../../support/browser.ts';

type Json = Readonly<Record<string, any>>;

let broker: BootedBroker;
let browser: Browser;
let url: string;
let operations: readonly Json[];
let early: readonly string[];

/** Which of the large libraries this process has loaded. */
const loaded = () =>
  ['swagger-ui', 'swagger', 'static', 'helmet'].filter((name) =>
    Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes(`/@fastify/${name}/`)),
  );

test.before(async () => {
  // Limits are as narrow as can be: the pages do not count.
  const rate_limit = { provider: 1, template: 1, request: 1, validation: 1 };
  broker = await bootBroker({ storage: 'memory', loop: 'none', configuration: { server: { rate_limit } } });
  browser = await launchBrowser();
  url = await broker.app.listen({ port: 0, host: '127.0.0.1' });
  const document = (await broker.app.inject('/openapi.json')).json() as Json;
  early = loaded();
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

test('the files of the pages are loaded at the first request for a page', async (t) => {
  await broker.app.inject('/docs');
  t.deepEqual(early, []);
  t.is(loaded().length, 4);
});

test('the pages carry a policy of their own, the id of the call, and no header that lets others in', async (t) => {
  for (const path of ['/docs', '/docs/static/swagger-ui.css', '/redoc', '/redoc/start.js', '/docs/nothing']) {
    const { headers } = await broker.app.inject({ url: path, headers: { 'x-request-id': 'call-7' } });
    t.is(headers['x-request-id'], 'call-7', path);
    t.regex(
      String(headers['content-security-policy']),
      /^default-src 'self';script-src 'self';style-src 'self'( 'nonce-[\w+/=]+')?;/,
    );
    t.notRegex(String(headers['content-security-policy']), /unsafe|https:|\*/);
    t.like(headers, {
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-permitted-cross-domain-policies': 'none',
    });
    t.deepEqual(
      Object.keys(headers).filter((name) => /^(access-control|strict-transport|x-ratelimit)/.test(name)),
      [],
    );
  }
  const nonce = async () =>
    /'nonce-(.*?)'/.exec(String((await broker.app.inject('/redoc')).headers['content-security-policy']))?.[1];
  t.not(await nonce(), await nonce());
  const missing = await broker.app.inject('/redoc/nothing');
  t.is(missing.statusCode, 404);
  t.deepEqual(Object.keys(missing.json()), ['detail', 'code']);
  t.is((await broker.app.inject({ method: 'POST', url: '/docs' })).statusCode, 405);
});
