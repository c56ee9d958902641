import assert from 'node:assert/strict';
import type { ProviderChecks } from '../check-list.ts';
import { outcomeOf, describeOutcome } from '../answers/outcome.ts';
import { assertSameIds } from '../answers/assert-same-ids.ts';
import type { ProviderHarness } from '../harness/provider-harness.ts';

/** Checks of orders that are sent more than once. */
export function tokenChecks({ when, on, subject }: ProviderChecks): void {
  const { kit, api, count } = subject;
  const valid = api.capabilities?.token_valid_ms > 0 ? true : undefined;
  const lacks = 'a token that is valid for some time (capabilities.token_valid_ms)';
  const once = async (harness: ProviderHarness, how: string) => {
    await harness.time.until(
      () => harness.living(),
      (ids) => ids.length >= count,
    );
    const living = await harness.livingAfter(count);
    assert.equal(
      living.length,
      count,
      `An order of ${count} machines was sent ${how}; the same token never starts more. Living: ${living.length} (${living.join(', ')}).`,
    );
  };

  when(valid, lacks, 'launched twice with one token, an order starts once', async (_, harness) => {
    const attempt = await harness.start();
    const again = await harness.again(attempt.order);
    await once(harness, 'twice, one after the other');
    assertSameIds(
      await harness.up(again),
      await harness.up(attempt),
      'Both answers must lead to the same machines.',
      'By the second',
    );
  });

  when(valid, lacks, 'launched again when its machines are up, an order starts nothing', async (_, harness) => {
    const attempt = await harness.start();
    const ids = await harness.up(attempt);
    const again = await harness.again(attempt.order);
    await once(harness, 'again after its machines were up');
    assertSameIds(await harness.up(again), ids, 'A replay must lead to the machines of the first.', 'By the second');
  });

  when(valid, lacks, 'launched twice at the same time with one token, an order starts once', async (_, harness) => {
    const order = await harness.order();
    // One of the two may get a retryable fault, but never a fault that means that nothing was done.
    const outcomes = await Promise.all([outcomeOf(() => harness.send(order)), outcomeOf(() => harness.send(order))]);
    for (const outcome of outcomes) {
      const later =
        outcome.kind === 'fault' && ['unavailable', 'throttled', 'unknown-outcome'].includes(outcome.fault.kind);
      assert.ok(
        outcome.kind === 'value' || later,
        `Two launches of one order at once both answer, or are to be sent again (unavailable, throttled, unknown-outcome): ${describeOutcome(outcome)}.`,
      );
    }
    const attempt = await harness.again(order);
    await harness.up(attempt);
    await once(harness, 'twice at the same time, and once more');
  });

  when(
    valid,
    lacks,
    'launched twice through two sessions, as after a restart, an order starts once',
    async (_, harness) => {
      const [before, after] = [await harness.connect(), await harness.connect()];
      const order = await harness.order({}, before);
      const first = await harness.launch(order, before);
      const second = await harness.again(order, after);
      await once(harness, 'through two sessions');
      assertSameIds(
        await harness.up(second, after),
        await harness.up(first, before),
        'Both sessions must lead to the same machines.',
        'By the second',
      );
    },
  );

  when(
    valid,
    lacks,
    'launched twice at the same time through two sessions, an order starts once',
    async (_, harness) => {
      const [one, other] = [await harness.connect(), await harness.connect()];
      const order = await harness.order({}, one);
      await Promise.all([outcomeOf(() => harness.send(order, one)), outcomeOf(() => harness.send(order, other))]);
      await harness.up(await harness.again(order, other), other);
      await once(harness, 'through two sessions at the same time');
    },
  );

  on('two orders with different tokens are two orders', async (harness) => {
    const [one, other] = [await harness.start({ count: 1 }), await harness.start({ count: 1 })];
    const ids = [...(await harness.up(one)), ...(await harness.up(other))];
    assert.equal(new Set(ids).size, 2, `Two orders of one machine each must start two; seen: ${ids.join(', ')}.`);
  });

  if (api.prepare)
    on(
      'prepared twice, as after a crash before it was stored, an order starts once and leaves nothing behind',
      async (harness) => {
        const [before, after] = [await harness.connect(), await harness.connect()];
        const draft = harness.draft();
        await harness.prepare(draft, before);
        const order = await harness.prepare(draft, after);
        const attempt = await harness.launch(order, after);
        const ids = await harness.up(attempt, after);
        assertSameIds(await harness.livingAfter(count), ids, 'prepare starts no machine.', 'Living');
      },
    );

  when(
    kit.loseAnswer,
    'loseAnswer: a launch that is carried out and whose answer is lost',
    'a launch whose answer was lost has an unknown outcome, and starts its machines once when it is sent again',
    async (loseAnswer, harness) => {
      const order = await harness.order();
      await loseAnswer.call(kit, harness.world);
      const outcome = await outcomeOf(() => harness.send(order));
      if (outcome.kind === 'fault')
        assert.equal(
          outcome.fault.kind,
          'unknown-outcome',
          `A launch that may have been carried out ends in 'unknown-outcome', or the broker orders machines again that already exist; it ended in '${outcome.fault.kind}': ${outcome.fault.message}`,
        );
      else
        assert.equal(
          outcome.kind,
          'value',
          `A launch whose answer was lost throws a ProviderFault of kind 'unknown-outcome'; ${describeOutcome(outcome)}.`,
        );
      if (valid === undefined) return;
      // The broker may have restarted in between, and the provider may need some time.
      const restarted = await harness.connect();
      const again = await harness.time.until(
        () => outcomeOf(() => harness.send(order, restarted)),
        (each) => each.kind === 'value',
      );
      assert.ok(
        again.kind === 'value',
        `An order whose answer was lost must be answered when it is sent again: ${describeOutcome(again)}.`,
      );
      const ids = await harness.up(harness.begun(order, again.value), restarted);
      assertSameIds(
        await harness.livingAfter(count),
        ids,
        'The order whose answer was lost and its replay are one.',
        'Living',
      );
    },
  );

  if (api.find)
    when(
      kit.loseAnswer,
      'loseAnswer: a launch that is carried out and whose answer is lost',
      'an order whose answer was lost is found again, and can be followed and released',
      async (loseAnswer, harness) => {
        const order = await harness.order();
        await loseAnswer.call(kit, harness.world);
        const lost = await outcomeOf(() => harness.send(order));
        if (lost.kind === 'value') return void (await harness.up(harness.begun(order, lost.value)));
        await harness.time.quiet();
        const restarted = await harness.connect();
        const handle = await harness.time.until(
          async () => api.find?.(restarted, order, harness.call()),
          (each) => each !== undefined,
        );
        assert.ok(
          handle !== undefined,
          'find must see in the end what a lost launch started; it gave undefined however often it was asked.',
        );
        const attempt = harness.begun(order, { handle, settled: false });
        const ids = await harness.up(attempt, restarted);
        assertSameIds(
          await harness.living(),
          ids,
          'The handle that find gives leads to the machines of the order.',
          'Living',
        );
        await harness.releaseMachines(attempt, undefined, restarted);
        assertSameIds(await harness.livingAfter(0), [], 'What was found can be released.', 'Living');
      },
    );

  if (api.find)
    on('an order that was never sent is not found', async (harness) => {
      await harness.up(await harness.start());
      const session = await harness.session();
      const [prepared, draft] = [await harness.order(), harness.draft()];
      for (const order of [prepared, draft]) {
        const found = await outcomeOf(async () => api.find?.(session, order, harness.call()));
        assert.ok(
          found.kind === 'value' && found.value === undefined,
          `find must give undefined for an order of which nothing was started; ${describeOutcome(found)}.`,
        );
      }
    });
}
