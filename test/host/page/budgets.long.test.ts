import test from 'ava';
import { requested, startWorld, type World } from './world.ts';

let world: World;

test.before(async () => {
  world = await startWorld({
    configuration: {
      budgets: [
        { name: 'everything', max_machines: 5, max_usd_per_hour: 100 },
        { name: 'blue', match: { template_id: 'render', tags: { team: 'blue' } }, max_vcpus: 8 },
      ],
    },
  });
  await requested(world.broker, 'small', 3);
});
test.after.always(() => world?.close());

const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

test.serial('budgets show each limit as REST tells it, and its use changes as machines are requested', async (t) => {
  const { page, troubles } = await world.open('/');
  await page.getByRole('link', { name: 'Budgets' }).click();
  t.true(page.url().endsWith('/ui/budgets'));
  const machines = page.getByRole('row').filter({ hasText: 'Machines' });
  await machines.getByText('has room').waitFor();
  t.regex(words(await machines.innerText()), /everything all machines Machines 3 of 5 has room/);
  const { budgets } = (await world.broker.call('GET', '/budgets/')).body;
  const [, hourly] = budgets[0].limits;
  const dollars = page.getByRole('row').filter({ hasText: 'US dollars an hour' });
  t.is(
    Number(/\$([\d.]+) of \$100\.00/.exec(words(await dollars.innerText()))?.[1]),
    Number(hourly.used.toPrecision(2)),
  );
  const vcpus = page.getByRole('row').filter({ hasText: 'vCPUs' });
  t.regex(words(await vcpus.innerText()), /blue template render · team=blue vCPUs 0 of 8 has room/);

  await requested(world.broker, 'small', 1);
  await machines.getByText('nearly used up, 80 %').waitFor();
  await requested(world.broker, 'small', 1);
  await machines.getByText('used up', { exact: true }).waitFor();
  t.regex(words(await machines.innerText()), /5 of 5/);
  t.deepEqual(troubles, []);
});
