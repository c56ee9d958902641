import assert from 'node:assert/strict';
import { setImmediate as soon, setTimeout as after } from 'node:timers/promises';
import type { ProviderState } from '../../../core/index.ts';
import type { ProviderChecks } from '../check-list.ts';
import { networkUse } from '../harness/network-watch.ts';
import { delivered } from '../answers/outcome.ts';
import { formatValue } from '../answers/format.ts';
import { secretsIn } from '../harness/schema-fields.ts';
import { within } from '../harness/within.ts';

/** The longest time of an answer without a call. */
const withoutCallMs = 100;

/** Checks of the session of a configured instance. */
export function sessionChecks({ on, subject }: ProviderChecks): void {
  const { type } = subject;

  on('connect makes no call', async (harness) => {
    const seen = await networkUse(async () => {
      await harness.connect();
      // Background work of `connect` would be visible by now; timers of the same turn may fire in any order.
      await after(50);
      await soon();
    });
    assert.deepEqual(
      seen,
      [],
      `connect must not access the network or start processes, because the broker starts with it; it ${seen.join(' and ')}. Do this at the first call.`,
    );
  });

  on('connect takes less than a second, even if the provider does not answer', async (harness) => {
    await harness.closeWorld();
    const began = performance.now();
    const connecting = harness.connect();
    const blocked = performance.now() - began;
    const connected = await within(1_000, connecting);
    assert.ok(
      blocked < 1_000,
      `connect must end within a second, but blocked the whole process for ${Math.round(blocked)} ms.`,
    );
    assert.ok(
      connected !== 'late',
      'connect must end within a second, but did not. Call the provider at the first call.',
    );
  });

  on('two sessions of one configuration are the same cloud', async (harness) => {
    if (!type.identity) return;
    const [one, other] = [await harness.connect(), await harness.connect()];
    const first = await delivered('identity', () => type.identity?.(one, harness.call()));
    const second = await delivered('identity', () => type.identity?.(other, harness.call()));
    assert.ok(
      typeof first === 'string' && first !== '',
      `identity must give a text that names the cloud, and gave ${formatValue(first)}.`,
    );
    assert.equal(
      second,
      first,
      'identity must be the same in every session of one configuration, also after a restart.',
    );
  });

  on('a healthy provider passes its check', async (harness) => {
    const session = await harness.session();
    await delivered('check', () => type.check?.(session, harness.call()));
  });

  on('a session may be closed twice, and other sessions continue', async (harness) => {
    const [one, other] = [await harness.connect(), await harness.connect()];
    const attempt = await harness.launch(await harness.order({}, one), one);
    await delivered('close', () => type.close?.(one));
    await delivered('a second close', () => type.close?.(one));
    await harness.up(attempt, other);
  });

  if (type.state) {
    on('what a session says of itself is complete, before its first call and after it', async (harness) => {
      const session = await harness.session();
      assertState(type.state?.(session));
      await harness.up(await harness.start());
      assertState(type.state?.(session));
    });

    on('what a session says of itself costs no call', async (harness) => {
      const session = await harness.session();
      await harness.up(await harness.start());
      const took: number[] = [];
      const seen = await networkUse(async () => {
        for (let call = 0; call < 3; call++) {
          const began = performance.now();
          type.state?.(session);
          took.push(performance.now() - began);
        }
        await soon();
      });
      const quickest = Math.min(...took);
      assert.deepEqual(
        seen,
        [],
        `state must not call the provider, because it is asked often; it ${seen.join(', ')}.`,
      );
      assert.ok(quickest < withoutCallMs, `state must return at once; it blocked for ${Math.round(quickest)} ms.`);
    });

    on('what a session says of itself names no secret', async (harness) => {
      const session = await harness.session();
      await harness.start();
      const said = JSON.stringify(type.state?.(session));
      for (const { name, value } of secretsIn(type.config, harness.config))
        assert.ok(!said.includes(value), `state must not contain config.${name}, which is a secret.`);
    });
  }
}

function assertState(state: ProviderState | undefined): void {
  assert.ok(!(state instanceof Promise), 'state must return its answer, not a promise: it makes no call.');
  const { rates, credentials } = state ?? {};
  assert.ok(Array.isArray(rates), `state gives {rates, credentials}, and gave ${formatValue(state)}.`);
  for (const { action, counts, per_second, capacity, free, share } of rates)
    assert.ok(
      isWord(action) &&
        (counts === 'calls' || counts === 'machines') &&
        [per_second, capacity, free, share].every(Number.isFinite) &&
        Math.min(per_second, capacity, share) >= 0 &&
        share <= 1,
      `A rate has action, counts ('calls' or 'machines'), per_second, capacity, free, and share from 0 to 1; seen: ${formatValue({ action, counts, per_second, capacity, free, share })}.`,
    );
  if (credentials === null) return;
  const { source, expires_at, renewed } = credentials ?? {};
  assert.ok(
    isWord(source) &&
      (expires_at === null || (typeof expires_at === 'string' && !Number.isNaN(Date.parse(expires_at)))) &&
      typeof renewed === 'boolean',
    `credentials are null, or have source, expires_at (ISO 8601 or null) and renewed; seen: ${formatValue(credentials)}.`,
  );
}

const isWord = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= 100;
