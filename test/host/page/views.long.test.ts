import test from 'ava';
import type { InstanceState } from '../../../core/providers/provider-activity.ts';
import { ended, requested, startWorld, type World } from './world.ts';

let world: World;
let small: any;
let render: any;

test.before(async () => {
  world = await startWorld();
  [small, render] = await Promise.all([requested(world.broker, 'small', 3), requested(world.broker, 'render', 7)]);
});
test.after.always(() => world?.close());

const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const get = async (path: string): Promise<any> => (await world.broker.call('GET', path)).body;

test.serial('now shows the machines, requests and events that REST tells', async (t) => {
  const { page, troubles } = await world.open('/');
  await page.getByText('Live', { exact: true }).waitFor();
  const overview = await get('/brokers/overview');
  await page.getByText(`${overview.machines.running} machines run`).waitFor();
  const use = page.getByRole('row', { name: /^render/ });
  t.regex(await use.innerText(), /7\s+–\s+40/);
  await page.getByRole('list', { name: 'Latest events' }).getByText('7 machines of render requested').waitFor();
  await page.getByText('Completed: 3 machines delivered').waitFor();
  t.deepEqual(troubles, []);
});

test.serial('a request that is made elsewhere appears by itself, and so does its end', async (t) => {
  const { page, troubles } = await world.open('/');
  await page.getByText('Live', { exact: true }).waitFor();
  world.broker.simulator.setKnobs({ boot_ms: 1_500 });
  const { body } = await world.broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 2 });
  const open = page.locator('.open-request', { hasText: body.request_id });
  await open.waitFor();
  t.regex(await open.innerText(), /0 of 2 ready/);
  await open.waitFor({ state: 'detached' });
  t.is((await ended(world.broker, body.request_id)).status, 'completed');
  world.broker.simulator.setKnobs({ boot_ms: 50 });
  t.deepEqual(troubles, []);
});

test.serial('the list of requests has every request whole, and its filter is part of the address', async (t) => {
  const { page, troubles } = await world.open('/requests');
  const { requests } = await get('/requests/');
  for (const { request_id, message } of requests) {
    const row = page.getByRole('row', { name: request_id });
    await row.waitFor();
    t.true((await row.innerText()).includes(message), request_id);
  }
  await page.getByLabel('Template').fill('render');
  await page.getByLabel('Template').press('Enter');
  await page.getByRole('row', { name: small.request_id }).waitFor({ state: 'detached' });
  t.true(page.url().endsWith('/ui/requests?template_id=render'));
  await page.reload();
  await page.getByRole('row', { name: render.request_id }).waitFor();
  t.is(await page.getByRole('row').count(), 2);
  await page.getByLabel('Status').selectOption('failed');
  await page.getByText('No request matches the filter.').waitFor();
  t.deepEqual(troubles, []);
});

test.serial('a request shows its course, its orders with the codes of the cloud, why, and its machines', async (t) => {
  const { page, troubles } = await world.open(`/requests/${render.request_id}`);
  const explained = await get(`/requests/${render.request_id}/explain`);
  await page.getByText(explained.because).waitFor();
  const [{ outcomes }] = explained.attempts;
  await page.getByRole('figure').getByText(outcomes[0].code).waitFor();
  const { machines } = await get(`/inventory/?request_id=${render.request_id}`);
  const table = page.getByRole('table').filter({ hasText: 'Type, market, zone' });
  for (const { machine_id, machine_type, zone } of machines)
    t.true(
      (await table.getByRole('row', { name: machine_id }).innerText()).includes(
        `${machine_type} · ondemand · ${zone}`,
      ),
    );
  t.is(await page.locator('.wf-machine').count(), machines.length);
  for (const { token } of explained.attempts) t.is(await page.getByText(token).count(), 1);
  t.deepEqual(troubles, []);
});

test.serial(
  'what machines cost stands with all of them, with the request and with each, as REST tells it',
  async (t) => {
    const { cost } = await get('/brokers/overview');
    t.true(cost.usd_per_hour > 0);
    const dollarsOf = (text: string): number => Number(text.replaceAll(/[^0-9.]/g, ''));
    const { page, troubles } = await world.open('/');
    const figure = page.locator('.figure-cost .figure');
    await figure.waitFor();
    t.true(Math.abs(dollarsOf(await figure.innerText()) - cost.usd_per_hour) < 0.006);
    await page.goto(`${world.url}/ui/requests/${render.request_id}`);
    const { usd_per_hour } = (await get(`/requests/${render.request_id}`)).cost;
    const fact = page.locator('.fact', { hasText: 'Cost' });
    await fact.waitFor();
    const [, rate = ''] = /\$([\d.]+) an hour, \$[\d.]+ so far/.exec(words(await fact.innerText())) ?? [];
    t.true(Math.abs(Number(rate) - usd_per_hour) < 0.006, rate);
    const [machine] = (await get(`/inventory/?request_id=${render.request_id}`)).machines;
    const price = `$${machine.cost.usd_per_hour.toFixed(4)}`;
    const row = page.getByRole('table').getByRole('row', { name: machine.machine_id });
    t.true((await row.innerText()).includes(price));
    await page.goto(`${world.url}/ui/machines`);
    await page.getByRole('row', { name: machine.machine_id }).getByText(price).waitFor();
    t.deepEqual(troubles, []);
  },
);

test.serial('a request is copied as a command and as a call', async (t) => {
  const { page } = await world.open(`/requests/${small.request_id}`, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const copied = async (label: string): Promise<string> => {
    await page.getByRole('button', { name: label }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const text = await page.evaluate(() => (globalThis as any).navigator.clipboard.readText());
    await page.getByRole('button', { name: label }).waitFor();
    return text;
  };
  t.is(await copied('Copy as CLI'), 'muster requests create small 3');
  const curl = await copied('Copy as curl');
  const [, url = '', data = ''] = /^curl (\S+) -H 'content-type: application\/json' -d '(.*)'$/.exec(curl) ?? [];
  t.is(url, `${world.url}/api/v1/machines/request`);
  t.deepEqual(JSON.parse(data), { template_id: 'small', machine_count: 3 });
});

test.serial('an open request is cancelled after a question', async (t) => {
  world.broker.simulator.setKnobs({ boot_ms: 60_000 });
  const { body } = await world.broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
  const { page, troubles } = await world.open(`/requests/${body.request_id}`);
  await page.getByRole('button', { name: 'Cancel' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this request?' });
  await dialog.getByRole('button', { name: 'Keep as it is' }).click();
  t.not((await get(`/requests/${body.request_id}`)).status, 'cancelled');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  t.is((await ended(world.broker, body.request_id)).status, 'cancelled');
  await page.locator('.because').getByText('cancelled', { exact: true }).waitFor();
  world.broker.simulator.setKnobs({ boot_ms: 50 });
  t.deepEqual(troubles, []);
});

test.serial('machines are listed as REST lists them, and several are returned', async (t) => {
  const { machine_ids } = await requested(world.broker, 'fleet', 4).then(async ({ request_id }) => ({
    machine_ids: (await get(`/inventory/?request_id=${request_id}`)).machines.map((each: any) => each.machine_id),
  }));
  const { page, troubles } = await world.open('/machines?template_id=fleet');
  for (const id of machine_ids) await page.getByRole('row', { name: id }).waitFor();
  const [first, second] = machine_ids;
  for (const id of [first, second]) await page.getByRole('checkbox', { name: `Select ${id}` }).check();
  await page.getByRole('button', { name: 'Return 2 machines' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Return 2 machines' }).click();
  await page.waitForURL(/\/ui\/requests\/ret-/);
  const return_id = page.url().split('/').at(-1) ?? '';
  t.is((await ended(world.broker, return_id)).status, 'completed');
  await page.locator('.because').getByText('completed', { exact: true }).waitFor();
  const left = (await get('/inventory/?template_id=fleet')).machines.map((each: any) => each.machine_id);
  t.deepEqual(left.toSorted(), machine_ids.slice(2).toSorted());
  t.deepEqual(troubles, []);
});

test.serial('capacity has every pool, and says of a short one since when and when it is tried again', async (t) => {
  const { page, troubles } = await world.open('/capacity');
  const { offers } = await get('/capacity/');
  const pools = new Set(offers.map((each: any) => `${each.machine_type} ${each.zone} ${each.market}`));
  await page.locator('button.pool').first().waitFor();
  t.is(await page.locator('button.pool').count(), pools.size);
  const short = offers.find(({ state }: any) => state === 'short');
  const tile = page.getByRole('button', { name: new RegExp(`^${short.machine_type}, ${short.zone}, .*: short for`) });
  await tile.click();
  const details = page.locator('.pool-details');
  t.true((await details.innerText()).includes(short.code));
  t.true((await details.innerText()).includes(short.message));
  t.deepEqual(troubles, []);
});

test.serial('providers show health, calls and brokers', async (t) => {
  const { page, troubles } = await world.open('/providers');
  await page.getByText('healthy', { exact: true }).waitFor();
  const { providers } = await get('/providers/metrics');
  await page.getByText('RunInstances', { exact: true }).waitFor();
  // The broker works on: an action may be younger than what the page has read.
  for (const { action } of providers[0].actions) {
    await page.getByText(action, { exact: true }).first().waitFor();
    t.is(await page.getByText(action, { exact: true }).count(), 1, action);
  }
  const { brokers } = await get('/brokers/');
  await page.getByRole('row', { name: brokers[0].broker_id }).waitFor();
  const { credentials, rates } = providers[0];
  await page.getByText(credentials.source, { exact: true }).waitFor();
  await page.getByText('no end known', { exact: true }).waitFor();
  // Calls to an endpoint that is not of AWS are not limited.
  t.deepEqual(rates, []);
  t.is(await page.getByText('rate limit').count(), 0);
  t.deepEqual(troubles, []);
});

test.serial(
  'an instance shows why it is not called, when its credentials end, and which rates are slowed',
  async (t) => {
    const { providerActivity } = world.broker.broker.services;
    const states = providerActivity.states;
    t.teardown(() => Object.assign(providerActivity, { states }));
    const rate = { counts: 'calls', per_second: 5, capacity: 4, free: 3.5, share: 1 } as const;
    const until = new Date(Date.now() + 90_000).toISOString();
    const state: InstanceState = {
      provider_instance: 'east',
      session: {
        rates: [
          { ...rate, action: 'DescribeInstances' },
          { ...rate, action: 'RunInstances', free: -2.5, share: 0.25 },
          { ...rate, action: 'RunInstances', counts: 'machines' },
        ],
        credentials: { source: 'script', expires_at: new Date(Date.now() + 1_800_000).toISOString(), renewed: false },
      },
      quarantine: { why: 'The plugin blocked the loop thread.', until },
      quarantined_templates: [{ template_id: 'render', why: 'It ended the loop thread.', until }],
    };
    Object.assign(providerActivity, { states: async () => [state] });
    const { page, troubles } = await world.open('/providers');
    const [{ quarantine, quarantined_templates, credentials, rates }] = (await get('/providers/metrics')).providers;
    const pause = page.getByRole('listitem').filter({ hasText: quarantine.why });
    t.regex(words(await pause.innerText()), /^not called until .*, 1:\d\d The plugin blocked/);
    const [{ why }] = quarantined_templates;
    const template = page.getByRole('listitem').filter({ hasText: why });
    t.true(words(await template.innerText()).startsWith('not called for requests of render until '));
    const ends = page.locator('.fact', { hasText: credentials.source }).locator('.state-part');
    t.regex(await ends.innerText(), /^end in (29|30) min$/);
    const table = page.getByRole('group', { name: 'Rate limits at east' });
    t.deepEqual((await table.locator('tbody tr').allInnerTexts()).map(words), [
      'RunInstances 5 3 wait slowed to 25 %',
      'DescribeInstances 5 3 of 4 full',
      'RunInstances machines 5 3 of 4 full',
    ]);
    t.is(rates.length, 3);
    t.deepEqual(troubles, []);
  },
);

test.serial(
  'a template shows its fields with their layers, is validated, and machines are requested from it',
  async (t) => {
    await world.broker.call('PUT', '/templates/render', { max_instances: 35 });
    const { page, troubles } = await world.open('/templates');
    await page.getByLabel('Find').fill('frames');
    await page.getByRole('link', { name: 'render' }).click();
    await page.getByRole('heading', { name: 'render', level: 1 }).waitFor();
    const limit = page.getByRole('row', { name: /^max_instances/ });
    t.regex(await limit.innerText(), /35\s+api/i);
    t.regex(await page.getByRole('row', { name: /^machine_type/ }).innerText(), /m5\.large\s+templates\.json/);
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByText('east can serve it').waitFor();
    await page.getByRole('button', { name: 'Request machines' }).click();
    await page.getByLabel('How many').fill('2');
    await page.getByRole('dialog').getByRole('button', { name: 'Request machines' }).click();
    await page.waitForURL(/\/ui\/requests\/req-/);
    t.is((await ended(world.broker, page.url().split('/').at(-1) ?? '')).requested_count, 2);
    t.deepEqual(troubles, []);
  },
);

test.serial('a refusal of the broker is shown in its own words', async (t) => {
  const { page } = await world.open('/templates/bounded');
  await page.getByRole('button', { name: 'Request machines' }).click();
  await page.getByLabel('How many').fill('6');
  await page.getByRole('dialog').getByRole('button', { name: 'Request machines' }).click();
  const said = await page.getByRole('dialog').getByRole('alert').innerText();
  const refused = await world.broker.call('POST', '/machines/request', { template_id: 'bounded', machine_count: 6 });
  t.is(said, refused.body.detail);
  await page.goto(`${world.url}/ui/requests/req-unknown`);
  await page.getByRole('alert').getByText('req-unknown').first().waitFor();
});

test.serial('a machine that the cloud takes back counts down', async (t) => {
  const spot = await requested(world.broker, 'spot-mix', 2);
  const [{ machine_id }] = (await get(`/inventory/?request_id=${spot.request_id}`)).machines;
  const { page, troubles } = await world.open('/interruptions');
  await page.getByText('The cloud has announced the end of no living machine.').waitFor();
  world.broker.simulator.setKnobs({ reclaim: [{ instance_ids: [machine_id], notice_s: 120 }] });
  await world.broker.call('GET', `/requests/${spot.request_id}/status?long=true`);
  const card = page.locator('.countdown', { hasText: machine_id });
  await card.waitFor();
  t.regex(await card.locator('.figure').innerText(), /^[012]:\d\d$/);
  t.deepEqual(troubles, []);
});

test.serial('an orphan is shown with its proof, and ended after a question', async (t) => {
  const orphan = {
    kind: 'machine',
    id: 'i-0stray',
    first_seen: Date.now(),
    reason: 'No order 1 of request req-old is stored.',
  };
  const value = { count: 1, orphans: [orphan] };
  const record = { topic: 'orphans', name: 'east', item: '', value, at: Date.now() };
  await world.broker.broker.store.commit([{ op: 'put', kind: 'fact', record }]);
  const { page, troubles } = await world.open('/orphans');
  await page.getByText(orphan.reason).waitFor();
  await page.getByRole('checkbox', { name: 'Select i-0stray' }).check();
  await page.getByRole('button', { name: 'End 1 orphan' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End 1 orphan' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.true((await get('/providers/orphans')).orphans[0].ending);
  t.deepEqual(troubles, []);
});
