import assert from 'node:assert/strict';
import { ClaimLost, type Call } from '../../../core/index.ts';
import type { ProviderChecks } from '../check-list.ts';
import { outcomeOf, describeOutcome, type Outcome } from '../answers/outcome.ts';
import { assertSameIds } from '../answers/assert-same-ids.ts';
import type { ProviderHarness } from '../harness/provider-harness.ts';
import { within } from '../harness/within.ts';

/** Checks of calls that are aborted or fenced. */
export function callChecks({ when, on, subject }: ProviderChecks): void {
  const { kit, api, type, count } = subject;
  const lacks = 'hang: a call that has no answer';
  type Act = (harness: ProviderHarness, call: Call) => Promise<() => unknown>;
  const acts: Readonly<Record<string, Act>> = {
    launch: async (harness, call) => {
      const session = await harness.session();
      // The first launch has already loaded modules, so the hanging call waits for the provider when it is aborted.
      await harness.up(await harness.start());
      const order = await harness.order();
      return () => harness.send(order, session, call);
    },
    observe: async (harness, call) => {
      const [session, attempt] = [await harness.session(), await harness.start()];
      const watched = { handle: attempt.handle, order: attempt.order, known: harness.refs(attempt) };
      return () => api.observe(session, [watched], call);
    },
    release: async (harness, call) => {
      const [session, attempt] = [await harness.session(), await harness.start()];
      await harness.up(attempt);
      return () => api.release(session, attempt.handle, { go: harness.refs(attempt), stay: [], incoming: 0 }, call);
    },
    ...(type.check
      ? {
          check: async (harness: ProviderHarness, call: Call) => {
            const session = await harness.session();
            return () => type.check?.(session, call);
          },
        }
      : {}),
  };
  for (const [verb, act] of Object.entries(acts))
    when(kit.hang, lacks, `${verb} ends within a second when its signal aborts`, async (hang, harness) => {
      const stop = new AbortController();
      const run = await act(harness, harness.call({ signal: stop.signal }));
      await hang.call(kit, harness.world);
      const outcome = await endOf(run, stop, verb);
      if (verb !== 'launch') return;
      if (outcome.kind === 'fault')
        assert.equal(
          outcome.fault.kind,
          'unknown-outcome',
          `An aborted launch may have been carried out, so its fault must be 'unknown-outcome'; ${describeOutcome(outcome)}.`,
        );
      assert.notEqual(outcome.kind, 'value', 'An aborted launch must not return an answer.');
    });

  on('a launch whose signal is aborted before it begins ends at once, and can be sent again', async (harness) => {
    const order = await harness.order();
    const stop = new AbortController();
    stop.abort();
    const outcome = await endOf(
      () => harness.send(order, undefined, harness.call({ signal: stop.signal })),
      stop,
      'launch',
    );
    if (!(api.capabilities?.token_valid_ms > 0) && outcome.kind === 'value') return;
    const ids = await harness.up(await harness.launch(order));
    assertSameIds(await harness.livingAfter(count), ids, 'The two launches are one order.', 'Living');
  });

  on('a launch whose claim is lost starts nothing', async (harness) => {
    const order = await harness.order();
    const outcome = await outcomeOf(() => harness.send(order, undefined, fenced(harness, order.request_id)));
    assertLost(outcome, 'launch');
    assertSameIds(await harness.livingAfter(0), [], 'call.fence() threw, so nothing was to be started.', 'Living');
  });

  on('a release whose claim is lost ends nothing', async (harness) => {
    const attempt = await harness.start();
    const ids = await harness.up(attempt);
    const aim = { go: harness.refs(attempt), stay: [], incoming: 0 };
    const session = await harness.session();
    const outcome = await outcomeOf(() =>
      api.release(session, attempt.handle, aim, fenced(harness, attempt.order.request_id)),
    );
    assertSameIds(await harness.livingAfter(ids.length), ids, 'call.fence() threw, so nothing was to end.', 'Living');
    assertLost(outcome, 'release');
  });
}

const fenced = (harness: ProviderHarness, request_id: string): Call =>
  harness.call({
    fence() {
      throw new ClaimLost(request_id);
    },
  });

function assertLost(outcome: Outcome<unknown>, verb: string): void {
  assert.equal(
    outcome.kind,
    'claim-lost',
    `${verb} must call call.fence() before every request that changes the provider, and must not catch the ClaimLost that it throws; ${describeOutcome(outcome)}.`,
  );
}

/**
 * Runs a call, aborts its signal while it waits, and returns its outcome. Fails if the call does not end within a
 * second of the abort.
 */
async function endOf(run: () => unknown, stop: AbortController, verb: string): Promise<Outcome<unknown>> {
  const ended = outcomeOf(run);
  const early = stop.signal.aborted ? 'late' : await within(250, ended);
  if (early !== 'late') return early;
  stop.abort();
  const first = await within(1_000, ended);
  assert.ok(
    first !== 'late',
    `${verb} must end within a second of the abort of call.signal, but did not: pass the signal to everything that waits.`,
  );
  return first;
}
