import test, { type ExecutionContext } from 'ava';
import { silentLog, type Store } from '../../../../core/index.ts';
import { Facts } from '../../../../core/providers/facts.ts';
import { unwatched } from '../../../../core/providers/guard/call-tracking.ts';
import { Committer } from '../../../../core/reconciler/claims/committer.ts';
import { HeldClaims } from '../../../../core/reconciler/claims/held-claims.ts';
import { StorageTrouble } from '../../../../core/reconciler/claims/storage-trouble.ts';
import type { Apply } from '../../../../core/reconciler/execute/step-context.ts';
import { defaultSettings } from '../../../../core/reconciler/settings.ts';
import { aBroker } from '../../../../plugin-testkit/storage/records.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { memoryDriver } from '../../../support/memory-driver.ts';
import { attemptOf, machineOf, requestOf } from '../../../support/records.ts';
import { noBudgets } from '../../../support/no-budgets.ts';

/** Holders of claims on one store, of which the first sent an order of the request and ended without its answer. */
async function world(t: ExecutionContext) {
  const clock = new FakeClock();
  const store: Store = await memoryDriver().open({}, { clock, log: silentLog });
  t.teardown(() => store.close());
  const { request_id } = requestOf();
  const request = requestOf({ status: 'pending', next_at: clock.now(), version: 0, epoch: 0 });
  await store.commit([{ op: 'insert', kind: 'request', record: request }]);
  function join(host: string) {
    const trouble = new StorageTrouble(clock, silentLog);
    const parts = { store, clock, log: silentLog, settings: defaultSettings, trouble };
    const claims = new HeldClaims({
      ...parts,
      broker: () => aBroker({ host }),
      lateReleaseHarms: () => true,
      renewed: () => undefined,
    });
    const committer = new Committer({
      budgets: noBudgets,
      stoppages: { excludedFor: () => new Map() },
      watch: unwatched,
      ...parts,
      facts: new Facts(store, clock),
      vcpusOf: () => undefined,
      compareClocks: () => claims.compareClocks(),
      became: () => undefined,
    });
    return {
      claims,
      async claim() {
        await claims.renew();
        await claims.claim();
        await claims.load();
        return claims.all().get(request_id);
      },
      commit: (...applies: readonly Apply[]) => committer.commit(claims.all().get(request_id) ?? t.fail(), applies),
    };
  }
  const sent = attemptOf(1, { state: 'open', unsent: false, doubtful: false, request_id });
  const a = join('a');
  await a.claim();
  await a.commit((change) => change.addAttempt(sent));
  await clock.advance(60_000);
  return {
    clock,
    store,
    join,
    doubtful: async () => (await store.get('attempt', { request_id, attempt: 1 }))?.doubtful,
  };
}

test('the doubt about an order is stored with the first commit of its new holder, so the next one knows it', async (t) => {
  const { clock, join, doubtful } = await world(t);
  const b = join('b');
  const taken = (await b.claim()) ?? t.fail();
  t.true(taken.claim.taken_over);
  await b.commit();
  t.true(await doubtful());
  t.is(taken.state.request.repeat_release_at, clock.now() + defaultSettings.repeat_release_ms);
  await b.claims.yield(taken);
  const next = await join('c').claim();
  t.false(next?.claim.taken_over);
  t.true(next?.state.attempts[0]?.doubtful);
});

for (const [what, release] of [
  ['ends', (claims) => claims.yieldAll().then(() => claims.leave())],
  ['dies', async () => {}],
] as readonly (readonly [string, (claims: HeldClaims) => Promise<void>])[])
  test(`a holder that ${what} before its first commit leaves the doubt to the next one`, async (t) => {
    const { clock, join } = await world(t);
    const b = join('b');
    await b.claim();
    await release(b.claims);
    await clock.advance(60_000);
    t.true((await join('c').claim())?.claim.taken_over);
  });

test('a machine that answers lacked is missing anew for the next holder, however much time seems to have passed', async (t) => {
  const { clock, join, store } = await world(t);
  const b = join('b');
  await b.claim();
  const seen = { ...machineOf('m-1'), missing_since: clock.now() };
  await b.commit((change) => change.putMachine(seen));
  await clock.advance(600_000);
  const c = join('c');
  await c.claim();
  await c.commit();
  t.is((await store.get('machine', seen))?.missing_since, clock.now());
});
