import assert from 'node:assert/strict';
import type { ProviderChecks } from './check-list.ts';
import { outcomeOf, told } from './outcome.ts';
import { sameIds } from './says.ts';
import type { Stage } from './stage.ts';

/** The same order, more than once. */
export function tokenChecks({ when, on, subject }: ProviderChecks): void {
  const { kit, api, count } = subject;
  const valid = api.capabilities?.token_valid_ms > 0 ? true : undefined;
  const lacks = 'a token that is worth something for a while (capabilities.token_valid_ms)';
  const once = async (stage: Stage, how: string) => {
    await stage.until(
      () => stage.living(),
      (ids) => ids.length >= count,
    );
    const living = await stage.livingAfter(count);
    assert.equal(
      living.length,
      count,
      `An order of ${count} machines was sent ${how}; the same token never starts more. Living: ${living.length} (${living.join(', ')}).`,
    );
  };

  when(valid, lacks, 'launched twice with one token, an order starts once', async (_, stage) => {
    const attempt = await stage.start();
    const again = await stage.again(attempt.order);
    await once(stage, 'twice, one after the other');
    sameIds(await stage.up(again), await stage.up(attempt), 'Both answers must lead to the same machines.', 'By the second');
  });

  when(valid, lacks, 'launched again when its machines are up, an order starts nothing', async (_, stage) => {
    const attempt = await stage.start();
    const ids = await stage.up(attempt);
    const again = await stage.again(attempt.order);
    await once(stage, 'again after its machines were up');
    sameIds(await stage.up(again), ids, 'A replay must lead to the machines of the first.', 'By the second');
  });

  when(valid, lacks, 'launched twice at the same time with one token, an order starts once', async (_, stage) => {
    const order = await stage.order();
    // One of the two may be told to come again; never may it be told that nothing was done for good.
    const outcomes = await Promise.all([outcomeOf(() => stage.send(order)), outcomeOf(() => stage.send(order))]);
    for (const outcome of outcomes) {
      const later = outcome.kind === 'fault' && ['unavailable', 'throttled', 'unknown-outcome'].includes(outcome.fault.kind);
      assert.ok(
        outcome.kind === 'value' || later,
        `Two launches of one order at once both answer, or are to be sent again (unavailable, throttled, unknown-outcome): ${told(outcome)}.`,
      );
    }
    const attempt = await stage.again(order);
    await stage.up(attempt);
    await once(stage, 'twice at the same time, and once more');
  });

  when(valid, lacks, 'launched twice through two sessions, as after a restart, an order starts once', async (_, stage) => {
    const [before, after] = [await stage.connect(), await stage.connect()];
    const order = await stage.order({}, before);
    const first = await stage.launch(order, before);
    const second = await stage.again(order, after);
    await once(stage, 'through two sessions');
    sameIds(await stage.up(second, after), await stage.up(first, before), 'Both sessions must lead to the same machines.', 'By the second');
  });

  when(valid, lacks, 'launched twice at the same time through two sessions, an order starts once', async (_, stage) => {
    const [one, other] = [await stage.connect(), await stage.connect()];
    const order = await stage.order({}, one);
    await Promise.all([outcomeOf(() => stage.send(order, one)), outcomeOf(() => stage.send(order, other))]);
    await stage.up(await stage.again(order, other), other);
    await once(stage, 'through two sessions at the same time');
  });

  on('two orders with different tokens are two orders', async (stage) => {
    const [one, other] = [await stage.start({ count: 1 }), await stage.start({ count: 1 })];
    const ids = [...(await stage.up(one)), ...(await stage.up(other))];
    assert.equal(new Set(ids).size, 2, `Two orders of one machine each must start two; seen: ${ids.join(', ')}.`);
  });

  if (api.prepare)
    on('prepared twice, as after a crash before it was stored, an order starts once and leaves nothing behind', async (stage) => {
      const [before, after] = [await stage.connect(), await stage.connect()];
      const draft = stage.draft();
      await stage.prepare(draft, before);
      const order = await stage.prepare(draft, after);
      const attempt = await stage.launch(order, after);
      const ids = await stage.up(attempt, after);
      sameIds(await stage.livingAfter(count), ids, 'prepare starts no machine.', 'Living');
    });

  when(
    kit.loseAnswer,
    'loseAnswer: a launch that is carried out and whose answer is lost',
    'a launch whose answer was lost is of unknown outcome, and sent again gives its machines once',
    async (loseAnswer, stage) => {
      const order = await stage.order();
      await loseAnswer.call(kit, stage.world);
      const outcome = await outcomeOf(() => stage.send(order));
      if (outcome.kind === 'fault')
        assert.equal(
          outcome.fault.kind,
          'unknown-outcome',
          `A launch that may have been carried out ends in 'unknown-outcome', or the broker orders again what is there already; it ended in '${outcome.fault.kind}': ${outcome.fault.message}`,
        );
      else
        assert.equal(
          outcome.kind,
          'value',
          `A launch whose answer was lost throws a ProviderFault of kind 'unknown-outcome'; ${told(outcome)}.`,
        );
      if (valid === undefined) return;
      // The broker may have been started anew in between, and the provider may ask for some patience.
      const restarted = await stage.connect();
      const again = await stage.until(
        () => outcomeOf(() => stage.send(order, restarted)),
        (each) => each.kind === 'value',
      );
      assert.ok(again.kind === 'value', `An order whose answer was lost must be answered when it is sent again: ${told(again)}.`);
      const ids = await stage.up(stage.begun(order, again.value), restarted);
      sameIds(await stage.livingAfter(count), ids, 'The order whose answer was lost and its replay are one.', 'Living');
    },
  );

  if (api.find)
    when(
      kit.loseAnswer,
      'loseAnswer: a launch that is carried out and whose answer is lost',
      'an order whose answer was lost is found again, and can be followed and released',
      async (loseAnswer, stage) => {
        const order = await stage.order();
        await loseAnswer.call(kit, stage.world);
        const lost = await outcomeOf(() => stage.send(order));
        if (lost.kind === 'value') return void (await stage.up(stage.begun(order, lost.value)));
        await stage.quiet();
        const restarted = await stage.connect();
        const handle = await stage.until(
          async () => api.find?.(restarted, order, stage.call()),
          (each) => each !== undefined,
        );
        assert.ok(
          handle !== undefined,
          'find must see in the end what a lost launch started; it gave undefined however often it was asked.',
        );
        const attempt = stage.begun(order, { handle, settled: false });
        const ids = await stage.up(attempt, restarted);
        sameIds(await stage.living(), ids, 'The handle that find gives leads to the machines of the order.', 'Living');
        await stage.giveBack(attempt, undefined, restarted);
        sameIds(await stage.livingAfter(0), [], 'What was found can be released.', 'Living');
      },
    );

  if (api.find)
    on('an order that was never sent is not found', async (stage) => {
      await stage.up(await stage.start());
      const session = await stage.session();
      const [prepared, draft] = [await stage.order(), stage.draft()];
      for (const order of [prepared, draft]) {
        const found = await outcomeOf(async () => api.find?.(session, order, stage.call()));
        assert.ok(
          found.kind === 'value' && found.value === undefined,
          `find must give undefined for an order of which nothing was started; ${told(found)}.`,
        );
      }
    });
}
