import test from 'ava';
import { twoVpcs } from '../../support/two-vpcs.ts';
import { requested, startWorld, type World } from './world.ts';

let world: World;

test.before(async () => {
  world = await startWorld({ knobs: twoVpcs });
});
test.after.always(() => world?.close());
test.afterEach.always(() => {
  world.broker.simulator.setKnobs({ auth: { denied: [], known_keys: null } });
});

test.serial('a template is made from what the account contains, and gives machines', async (t) => {
  const { page, troubles } = await world.open('/templates');
  await page.getByRole('link', { name: 'New template' }).click();
  await page.getByRole('heading', { name: 'New template', level: 1 }).waitFor();
  const network = page.getByLabel('Network');
  await network.waitFor();
  const subnets = page.getByRole('group', { name: 'Subnets' });
  t.is(await subnets.getByRole('checkbox', { name: /subnet-a/ }).count(), 0, 'another network is chosen');
  await network.selectOption('vpc-lab');
  t.is(await subnets.getByRole('checkbox', { name: "subnet-a 'lab a' · us-east-1a · 251 free addresses" }).count(), 1);
  t.is(await subnets.getByRole('checkbox', { name: 'subnet-b · us-east-1b · no free address' }).count(), 1);
  t.is(await page.getByRole('group', { name: 'Security groups' }).getByRole('checkbox', { name: /^sg-/ }).count(), 1);
  t.is(
    await page.getByRole('textbox', { name: /^(Ids of|Other)/ }).count(),
    0,
    'nothing is missing, so none is typed',
  );

  await page.getByLabel('Template', { exact: true }).fill('night-run');
  const images = page.locator('#offers-image_id option');
  const image = (await images.first().getAttribute('value')) as string;
  t.regex(image, /^resolve:ssm:/);
  await page.getByLabel('Image').fill(image);
  await page.getByLabel(/^Machine types/).fill('t3.small, t3.medium');
  const keys = page.locator('#offers-key_name option');
  t.deepEqual(await keys.evaluateAll((all: any[]) => all.map(({ value }) => value)), ['ops', 'night']);
  await page.getByLabel('Market').selectOption('Spot');
  await page.getByLabel('Key pair').fill('ops');
  await subnets.getByRole('checkbox', { name: /^subnet-a/ }).check();
  await page.getByRole('checkbox', { name: /^sg-lab/ }).check();
  await page.getByRole('button', { name: 'Validate' }).click();
  await page.getByText('It is valid').waitFor();
  t.is((await world.broker.call('GET', '/templates/night-run')).status, 404, 'validating stores nothing');

  await page.getByRole('button', { name: 'Create template' }).click();
  await page.waitForURL(/\/ui\/templates\/night-run$/);
  const { body } = await world.broker.call('GET', '/templates/night-run');
  t.like(body.template, {
    provider_name: 'east',
    image_id: image,
    key_name: 'ops',
    price_type: 'spot',
    machine_types: { 't3.small': 1, 't3.medium': 1 },
    subnet_ids: ['subnet-a'],
    security_group_ids: ['sg-lab'],
  });
  t.is((await requested(world.broker, 'night-run', 2)).status, 'completed');
  t.deepEqual(troubles, []);
});

test.serial('what the broker refuses is told with every mistake, and the form keeps what was typed', async (t) => {
  const { page } = await world.open('/new-template');
  await page.getByLabel('Network').waitFor();
  await page.getByLabel('Template', { exact: true }).fill('not valid!');
  await page.getByLabel('Image').fill('ami-1');
  await page.getByRole('button', { name: 'Validate' }).click();
  await page.getByText('It is not valid').waitFor();
  await page.getByRole('button', { name: 'Create template' }).click();
  const alert = page.getByRole('alert');
  await alert.waitFor();
  t.regex(await alert.innerText(), /template_id/);
  t.is(await page.getByLabel('Template', { exact: true }).inputValue(), 'not valid!');
  t.is(await page.getByLabel('Image').inputValue(), 'ami-1');
});

test.serial('a list that may not be read is typed; the others are offered', async (t) => {
  world.broker.simulator.setKnobs({ auth: { denied: [{ action: 'DescribeSecurityGroups' }] } });
  const { page, troubles } = await world.open('/new-template');
  await page.getByText('The permission ec2:DescribeSecurityGroups is missing.').waitFor();
  await page.getByLabel('Network').selectOption('vpc-lab');
  t.is(await page.getByRole('checkbox', { name: /^subnet-/ }).count(), 2);
  await page.getByLabel('Template', { exact: true }).fill('typed-groups');
  await page.getByLabel('Image').fill('ami-1');
  await page.getByLabel(/^Machine types/).fill('t3.small');
  await page.getByRole('checkbox', { name: /^subnet-a/ }).check();
  await page.getByLabel('Ids of security groups').fill('sg-lab');
  await page.getByRole('button', { name: 'Create template' }).click();
  await page.waitForURL(/\/ui\/templates\/typed-groups$/);
  const { template } = (await world.broker.call('GET', '/templates/typed-groups')).body;
  t.deepEqual([template.subnet_ids, template.security_group_ids], [['subnet-a'], ['sg-lab']]);
  t.deepEqual(troubles, []);
});

test.serial(
  'an account that does not answer leaves a form to type in, and is asked again on demand alone',
  async (t) => {
    world.broker.simulator.setKnobs({ auth: { known_keys: [] } });
    const { page } = await world.open('/new-template');
    const unknown = page.getByText(/What the account of east contains is not known/);
    // The question of the first load must not count for the second.
    await unknown.waitFor();
    let asked = 0;
    page.on('request', (request) => (asked += Number(request.url().endsWith('/discover'))));
    await page.reload();
    await unknown.waitFor();
    await page.getByLabel('Ids of subnets').waitFor();
    await page.getByLabel('Ids of security groups').waitFor();
    await page.waitForTimeout(6_500);
    t.is(asked, 1);
    world.broker.simulator.setKnobs({ auth: { known_keys: null } });
    await page.getByLabel('Template', { exact: true }).fill('kept');
    await page.getByRole('button', { name: 'Look again' }).click();
    await page.getByLabel('Network').waitFor();
    t.is(asked, 2);
    t.is(await page.getByLabel('Template', { exact: true }).inputValue(), 'kept');
  },
);
