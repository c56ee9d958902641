import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { bundlePage } from '../../../scripts/bundle-page.ts';
import { bootBroker, testTemplates, type BootedBroker, type BootOptions } from '../../support/boot-broker.ts';
import { launchBrowser } from '../../support/browser.ts';

const three = ['subnet-1', 'subnet-2', 'subnet-3'];

/** Templates that give the views something to show: several types, zones and markets, and a limit. */
export const worldTemplates = [
  ...testTemplates,
  {
    template_id: 'render',
    description: 'Frames of the night',
    provider_api: 'RunInstances',
    image_id: 'ami-1',
    machine_type: 'm5.large',
    subnet_ids: three,
    max_instances: 40,
  },
  {
    template_id: 'spot-mix',
    description: 'Whatever is cheap',
    provider_api: 'EC2Fleet',
    image_id: 'ami-1',
    price_type: 'spot',
    machine_types: { 'c5.large': 1, 'c5.xlarge': 2, 'm5.xlarge': 2, 'm6i.large': 1, 'm6i.2xlarge': 4 },
    subnet_ids: three,
  },
];

/** A broker with a browser on it. */
export interface World {
  readonly broker: BootedBroker;
  readonly url: string;
  open(path: string, options?: BrowserContextOptions): Promise<Opened>;
  close(): Promise<void>;
}

/** A view in a browser, and everything that went wrong with it. */
export interface Opened {
  readonly page: Page;
  readonly troubles: readonly string[];
}

/** Starts a broker with simulated machines, and a browser. The page is bundled from its present sources. */
export async function startWorld(options: BootOptions = {}): Promise<World> {
  await bundlePage(join(import.meta.dirname, '../../../bundled/page'));
  const broker = await bootBroker({
    storage: 'memory',
    templates: worldTemplates,
    settings: { discovery_first_ms: 100, observe_resting_ms: 300 },
    knobs: {
      capacity: [
        { zone: 'us-east-1b', instance_type: 'm5.large', count: 4 },
        { market: 'spot', instance_type: 'c5.*', count: 0 },
      ],
    },
    ...options,
  });
  // A server that stays open would keep the process of a failed test file until its time-out.
  const browser = await launchBrowser().catch(async (error: unknown) => {
    await broker.close();
    throw error;
  });
  const url = await broker.app.listen({ port: 0, host: '127.0.0.1' });
  return {
    broker,
    url,
    open: (path, contextOptions) => openIn(browser, url, path, contextOptions),
    async close() {
      await browser.close();
      await broker.close();
    },
  };
}

async function openIn(
  browser: Browser,
  url: string,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'log' && message.type() !== 'info') troubles.push(message.text());
  });
  page.on('pageerror', (error) => void troubles.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:'))
      troubles.push(`leaves: ${request.url()}`);
  });
  await page.addInitScript(() =>
    (globalThis as any).document.addEventListener('securitypolicyviolation', (event: any) =>
      console.error(`violates ${event.violatedDirective}: ${event.blockedURI}`),
    ),
  );
  await page.goto(`${url}/ui${path}`);
  return { page, troubles };
}

/** Waits until a request has ended, and returns its status. */
export async function ended(broker: BootedBroker, request_id: string): Promise<any> {
  return broker.until(async () => {
    const { body } = await broker.call('GET', `/requests/${request_id}`);
    return ['completed', 'failed', 'cancelled'].includes(body.status) && body;
  });
}

/** Requests machines and waits for them. */
export async function requested(broker: BootedBroker, template_id: string, machine_count: number): Promise<any> {
  const { body } = await broker.call('POST', '/machines/request', { template_id, machine_count });
  return ended(broker, body.request_id);
}
