import test from 'ava';
import { silentLog, type Log } from '../../../../core/index.ts';
import { HeldClaims } from '../../../../core/reconciler/claims/held-claims.ts';
import { StorageTrouble } from '../../../../core/reconciler/claims/storage-trouble.ts';
import { defaultSettings } from '../../../../core/reconciler/settings.ts';
import { aBroker } from '../../../../plugin-testkit/storage/records.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { memoryDriver } from '../../../support/memory-driver.ts';
import { requestOf } from '../../../support/records.ts';

for (const [requests, expected] of [
  [2, Array.from({ length: 2 }, () => 'The claim on a request was lost; its new holder continues the work.')],
  [
    40,
    [
      'The claims on 40 requests were lost, as when this process was suspended for longer than its lease; their new holders continue the work.',
    ],
  ],
] as const)
  test(`a broker that was suspended and lost ${requests} claims says so briefly`, async (t) => {
    const clock = new FakeClock();
    const store = await memoryDriver().open({}, { clock, log: silentLog });
    t.teardown(() => store.close());
    await store.commit(
      Array.from({ length: requests }, (_, index) => ({
        op: 'insert' as const,
        kind: 'request' as const,
        record: requestOf({
          request_id: `req-${index}`,
          status: 'pending',
          next_at: clock.now(),
          version: 0,
          epoch: 0,
        }),
      })),
    );
    const said: string[] = [];
    const log: Log = { ...silentLog, warn: (_fields: object, text?: string) => void said.push(text ?? '') } as Log;
    const holder = (host: string) => {
      const record = aBroker({ host });
      return new HeldClaims({
        store,
        clock,
        log,
        settings: defaultSettings,
        trouble: new StorageTrouble(clock, log),
        broker: () => record,
        lateReleaseHarms: () => true,
        renewed: () => undefined,
      });
    };
    const [a, b] = [holder('a'), holder('b')];
    await a.renew();
    await a.claim();
    await a.load();
    t.is(a.all().size, requests);
    await clock.advance(60_000);
    await b.renew();
    await b.claim();
    await a.renew();
    t.is(a.all().size, 0);
    t.deepEqual(said, expected);
  });
