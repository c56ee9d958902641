import { existsSync, rmSync, writeFileSync } from 'node:fs';
import test from 'ava';
import { bootUnruly } from './stopped-thread.ts';
import { read } from './unruly.ts';

/** One that takes memory may be found while it is still at it. */
const said = (rule: string, ended: boolean): string => {
  const [hung, over] = [`blocked the loop thread`, `ended the loop thread`];
  return rule.includes('swallows') ? `(${hung}|${over})` : ended ? over : hung;
};

// One at a time: each needs a processor for itself while it spins.
for (const { rule, how, ended } of [
  { rule: 'connect spins', how: 'spins while it connects', ended: false },
  { rule: 'identity spins-later', how: 'spins after it waited', ended: false },
  { rule: 'identity blocks', how: 'spins in what no debugger can stop', ended: false },
  { rule: 'connect exits', how: 'ends the thread', ended: true },
  { rule: 'identity exits-later', how: 'ends the thread after it waited', ended: true },
  { rule: 'connect swallows', how: 'takes all memory of the thread', ended: true },
  { rule: 'identity swallows-later', how: 'takes all memory of the thread after it waited', ended: true },
])
  test.serial(
    `an instance whose plugin ${how} is suspended for a while; the others continue, and so does the instance when its plugin works again`,
    async (t) => {
      const broker = await bootUnruly(t, {
        rules: { good: undefined, bad: rule },
        templates: { good: { at: 'good' }, bad: { at: 'bad' } },
      });
      const bad = await broker.request('bad').catch(() => undefined);
      const { message } = await broker.until(async () => {
        const found = await broker.health('bad');
        return found.status === 'unhealthy' && (found as { readonly message: string });
      });
      t.regex(message, new RegExp(`${said(rule, ended)}.*it is not called before 20`));
      const { quarantine } = await broker.metrics('bad');
      t.regex(quarantine.why, new RegExp(said(rule, ended)));
      t.true(Date.parse(quarantine.until) > Date.now() - 1_000);
      t.is((await broker.metrics('good')).quarantine, null);
      // While it is left alone.
      await broker.completed(await broker.request('good'));
      t.is((await broker.health('good')).status, 'healthy');
      t.is((await broker.health('bad')).status, 'unhealthy');
      broker.cure('bad');
      const { machines } = await broker.completed(
        bad ?? (await broker.until(() => broker.request('bad').catch(() => undefined))),
      );
      t.is(machines.length, 2);
      t.is(Object.keys(read(broker.stateOf('bad'))).length, 2);
      await broker.until(async () => (await broker.health('bad')).status === 'healthy');
    },
  );

for (const { rule, how, ended } of [
  { rule: 'launch spins', how: 'spins before its first wait', ended: false },
  { rule: 'launch spins-later', how: 'spins after it waited', ended: false },
  { rule: 'launch blocks', how: 'spins in what no debugger can stop', ended: false },
  { rule: 'prepare exits', how: 'ends the thread', ended: true },
  { rule: 'launch exits-later', how: 'ends the thread after it waited', ended: true },
  { rule: 'prepare swallows', how: 'takes all memory of the thread', ended: true },
])
  test.serial(
    `a plugin that ${how} for one request is not called for its template for a while; others are served at the same instance`,
    async (t) => {
      const broker = await bootUnruly(t, {
        rules: { east: undefined, slow: 'launch waits' },
        templates: { good: { at: 'east' }, bad: { at: 'east', rule }, slow: { at: 'slow' } },
        quarantine_ms: 60_000,
      });
      await broker.completed(await broker.request('good'));
      // Its call is under way while the other stops the thread; in the next one it is quick.
      const slow = await broker.request('slow');
      await broker.until(async () => existsSync(`${broker.stateOf('slow')}.waiting`));
      rmSync(`${broker.stateOf('slow')}.rule`);
      const bad = await broker.request('bad');
      const { message } = await broker.until(async () => {
        const found = await broker.status(bad);
        return /it is not called for requests of template 'bad' before 20/.test(found.message) && found;
      });
      t.regex(message, new RegExp(said(rule, ended)));
      const { quarantine, quarantined_templates } = await broker.metrics('east');
      t.is(quarantine, null);
      t.is(quarantined_templates.length, 1);
      const [{ template_id, why, until }] = quarantined_templates;
      t.is(template_id, 'bad');
      t.regex(why, new RegExp(said(rule, ended)));
      t.true(Math.abs(Date.parse(until) - Date.now() - 60_000) < 30_000, until);
      await broker.completed(await broker.request('good'));
      await broker.completed(slow);
      for (const name of ['east', 'slow']) t.is((await broker.health(name)).status, 'healthy', name);
      const charged = broker.told.find(({ message: line }) => line.includes('is not called for requests of template'));
      t.is(charged?.fields['request_id'], bad);
      if (!rule.includes('swallows')) t.is(broker.stops(), ended ? 1 : 2);
    },
  );

for (const rule of ['prepare spins', 'offers spins', 'launch exits-later'])
  test.serial(
    `a request that stops the thread twice (${rule}) fails with the reason, also across a restart, and others continue`,
    async (t) => {
      const broker = await bootUnruly(t, {
        rules: { east: undefined },
        templates: { good: { at: 'east' }, bad: { at: 'east', rule } },
        quarantine_ms: 500,
      });
      const bad = await broker.request('bad');
      await broker.until(async () =>
        broker.told.some(({ message }) => message.includes('is not called for requests of template')),
      );
      await broker.until(async () => (await broker.call('GET', '/requests/?limit=1')).status === 200);
      await broker.completed(await broker.request('good'));
      await broker.again();
      await broker.until(async () => {
        const { message, status } = await broker.status(bad);
        return (status === 'failed' || /looking for its machines by their tags/.test(message)) && true;
      });
      const { message, fulfilment } = await broker.status(bad);
      if (rule === 'launch exits-later') t.regex(message, /looking for its machines by their tags/);
      else t.regex(JSON.stringify([message, fulfilment]), /Calls for this request stopped the loop thread 2 times/);
      await broker.completed(await broker.request('good'));
      t.is((await broker.health('east')).status, 'healthy');
    },
  );

for (const rule of ['launch stray', 'launch stray-circle', 'launch stray-unreadable'])
  test.serial(
    `an error of a timer of a request does not end the thread, and the instance stays healthy: ${rule}`,
    async (t) => {
      const broker = await bootUnruly(t, { rules: { bad: rule }, templates: { bad: { at: 'bad' } } });
      const id = await broker.request('bad');
      await broker.completed(id);
      const line = await broker.until(async () =>
        broker.told.find(({ message }) => message.startsWith('bad: Its plugin threw an error that no caller catches')),
      );
      t.is(line.fields['request_id'], id);
      t.not((await broker.health('bad')).status, 'unhealthy');
      t.is(broker.stops(), 0);
    },
  );

test.serial('a plugin may write anything to the log of its calls: they succeed, in a thread too', async (t) => {
  const broker = await bootUnruly(t, {
    rules: { good: undefined },
    templates: { good: { at: 'good', rule: 'launch writes' } },
  });
  await broker.completed(await broker.request('good'));
  t.true(broker.told.some(({ message }) => message === 'odd'));
  t.true(broker.told.some(({ message }) => message === 'unreadable'));
});

test.serial(
  'an error that a plugin throws in a timer of its instance does not end the thread, and is charged to that instance alone',
  async (t) => {
    const broker = await bootUnruly(t, {
      rules: { bad: undefined, good: undefined },
      templates: { bad: { at: 'bad' }, good: { at: 'good' } },
    });
    writeFileSync(`${broker.stateOf('bad')}.rule`, 'identity stray');
    await broker.request('bad').catch(() => undefined);
    await broker.until(async () => /thrown in a timer/.test((await broker.health('bad')).message ?? ''));
    await broker.completed(await broker.request('good'));
    t.is(broker.stops(), 0);
  },
);

test.serial(
  'an error that plugin code throws outside of any call does not end the thread, and is charged to the instances of the plugin',
  async (t) => {
    const broker = await bootUnruly(t, { rules: { bad: 'identity loose' }, templates: { bad: { at: 'bad' } } });
    await broker.until(async () => /thrown in nobody's name/.test((await broker.health('bad')).message ?? ''));
    t.is(broker.stops(), 0);
  },
);
