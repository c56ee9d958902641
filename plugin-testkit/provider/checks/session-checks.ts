import assert from 'node:assert/strict';
import { setImmediate as soon, setTimeout as after } from 'node:timers/promises';
import type { ProviderChecks } from '../check-list.ts';
import { networkUse } from '../harness/network-watch.ts';
import { delivered } from '../answers/outcome.ts';
import { formatValue } from '../answers/format.ts';
import { within } from '../harness/within.ts';

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
}
