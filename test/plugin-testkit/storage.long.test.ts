import { AssertionError } from 'node:assert';
import { setTimeout as after } from 'node:timers/promises';
import test from 'ava';
import {
  BrokerError,
  canServe,
  reservedIn,
  type BrokerRecord,
  type BrokerState,
  type Change,
  type EventRecord,
  type Held,
  type Plugin,
  type StorageCheck,
  type StorageContext,
  type Store,
} from '../../core/index.ts';
import memory from '../../plugins/storage-memory/index.ts';
import doubleClaims from '../support/double-claims-storage.ts';
import { memoryDriver } from '../support/memory-driver.ts';
import { freshPath } from '../support/storage-sqlite-file.ts';
import { pluginOf, sharedMemoryStorage, spoiledStorage } from '../support/shared-memory-storage.ts';
import { collectingRunner, type CollectingRunner } from '../support/collecting-runner.ts';
import { testStorage } from '../../plugin-testkit/index.ts';
import { aBroker } from '../../plugin-testkit/storage/records.ts';

let places = 0;
const checksOf = (plugin: Plugin) => {
  const checks = collectingRunner();
  testStorage({
    test: checks.runner,
    plugin: () => plugin,
    place: () => `${(places += 1)}`,
    options: (place) => ({ place }),
  });
  return checks;
};

/** Each change as another one. */
const changed = (store: Store, to: (change: Change) => Change | readonly Change[]): Partial<Store> => ({
  commit: (changes) => store.commit(changes.flatMap(to)),
});
/** What a broker of the checks may serve. */
const both = ['east', 'west'].map((name) => ({ name, type: 'cloud', identity: `account of ${name}` }));
const open = sharedMemoryStorage();
const looked = (valid: boolean, records: Record<string, number>): StorageCheck => ({
  valid,
  path: '',
  size_bytes: 0,
  log_bytes: 0,
  schema_version: 1,
  took_ms: 0,
  records,
  findings: [],
});

const defects: readonly (readonly [string, string, () => Plugin])[] = [
  [
    'a commit of which half is kept',
    'refused for a fence that is stale leaves nothing behind',
    () =>
      spoiledStorage((store) => ({
        commit: (changes) =>
          store.commit(changes).catch(async (error: unknown) => {
            await store.commit(changes.slice(0, 1)).catch(() => {});
            throw error;
          }),
      })),
  ],
  [
    'a limit that is checked after earlier changes were written',
    'refused for a limit leaves nothing behind',
    () =>
      spoiledStorage((store) => ({
        async commit(changes) {
          const limit = changes.findIndex(({ op }) => op === 'limit');
          if (limit > 0) await store.commit(changes.slice(0, limit)).catch(() => {});
          await store.commit(changes);
        },
      })),
  ],
  [
    'versions that do not rise',
    'a put under its fence raises the version by one',
    () =>
      spoiledStorage((store) => ({
        get: async (kind, key) => ({ ...(await store.get(kind, key)), version: 1 }) as never,
      })),
  ],
  [
    'a claim that is given twice',
    'what is held is not claimed, not even by its holder',
    () =>
      spoiledStorage((store) => {
        let last: Awaited<ReturnType<Store['claim']>> = [];
        return {
          async claim(...asked) {
            const claims = await store.claim(...asked);
            if (claims.length > 0) last = claims;
            return last;
          },
        };
      }),
  ],
  [
    'pages that skip',
    'paging asc over ties skips and repeats nothing',
    () =>
      spoiledStorage((store) => ({
        find: (kind, query) =>
          store.find(kind, { ...query, offset: query.offset && query.offset + 1 } as typeof query),
      })),
  ],
  [
    'pages that are cut',
    'a hundred thousand requests are counted, and paged through',
    () =>
      spoiledStorage((store) => ({
        versions: (query) => store.versions({ ...query, limit: Math.min(query.limit ?? 0, 10_000) }),
      })),
  ],
  [
    'a delete that ignores the version',
    'delete removes, ignores absent records, and checks the version',
    () =>
      spoiledStorage((store) =>
        changed(store, (change) =>
          change.op === 'delete' ? ({ op: 'delete', kind: change.kind, key: change.key } as Change) : change,
        ),
      ),
  ],
  [
    'a watch that never notifies',
    'a watcher is notified of its own store',
    () => spoiledStorage(() => ({ watch: () => ({ [Symbol.dispose]: () => {} }) })),
  ],
  [
    'a watch that notifies twice',
    'its watcher is notified of exactly its kinds, once',
    () =>
      spoiledStorage((store) => ({
        watch: (on) =>
          store.watch((kinds) => {
            on(kinds);
            on(kinds);
          }),
      })),
  ],
  [
    'a limit that is counted wrongly',
    'limit counts what all requests of the template hold',
    () =>
      spoiledStorage((store) =>
        changed(store, (change) =>
          change.op === 'limit' ? { ...change, machine_count: change.machine_count - 1 } : change,
        ),
      ),
  ],
  [
    'slots that are counted wrongly',
    'a slot counts the other requests that have an active attempt',
    () =>
      spoiledStorage((store) =>
        changed(store, (change) => (change.op === 'slot' ? { ...change, max: change.max + 1 } : change)),
      ),
  ],
  [
    'slots that ignore the order',
    'slots are given in the order of acceptance',
    () =>
      spoiledStorage((store) =>
        changed(store, (change) => {
          if (change.op !== 'put' || change.kind !== 'request') return change;
          const { waits_for: _, ...record } = change.record;
          return { ...change, record };
        }),
      ),
  ],
  [
    'slots that are counted after what the commit does',
    'slots hold for fifty commits at once',
    () =>
      spoiledStorage((store) => ({
        async commit(changes) {
          await store.commit(changes.filter(({ op }) => op !== 'slot'));
          await store.commit(changes.filter(({ op }) => op === 'slot'));
        },
      })),
  ],
  [
    'a budget that is counted before the changes of the commit',
    'a budget counts what all requests reserve with the changes of the commit',
    () =>
      spoiledStorage((store) => ({
        async commit(changes) {
          const budgets = changes.filter(({ op }) => op === 'budget');
          await store.commit(budgets);
          await store.commit(changes.filter(({ op }) => op !== 'budget'));
        },
      })),
  ],
  [
    'a budget that is counted after the commit',
    'budgets hold for fifty commits at once',
    () =>
      spoiledStorage((store) => ({
        async commit(changes) {
          await store.commit(changes.filter(({ op }) => op !== 'budget'));
          await store.commit(changes.filter(({ op }) => op === 'budget'));
        },
      })),
  ],
  [
    'a budget that counts all markets',
    'a budget counts by template, instance, market and tags',
    () =>
      spoiledStorage((store) =>
        changed(store, (change) => {
          if (change.op !== 'budget') return change;
          const { market: _, ...scope } = change.scope;
          return { ...change, scope };
        }),
      ),
  ],
  [
    'a budget that takes an unknown price for nothing',
    'refuses what has no known price or size',
    () =>
      spoiledStorage((store) =>
        changed(store, (change) =>
          change.op === 'budget' ? { ...change, bounds: { unknown_microusd: 0, ...change.bounds } } : change,
        ),
      ),
  ],
  [
    'a budget that is checked where nothing is asked',
    'what a commit does not increase is not checked',
    () =>
      spoiledStorage((store) =>
        changed(store, (change) =>
          change.op === 'budget'
            ? { ...change, bounds: { ...change.bounds, asked: { ...change.bounds.asked, machines: 1 } } }
            : change,
        ),
      ),
  ],
  [
    'sums that are kept when a request is deleted',
    'a budget counts what all requests reserve with the changes of the commit',
    () => {
      const kept = { machines: 0 };
      return spoiledStorage((store) => ({
        async commit(changes) {
          const deleted = changes.flatMap((change) =>
            change.op === 'delete' && change.kind === 'request' ? change.key : [],
          );
          for (const key of deleted)
            kept.machines += reservedIn({}, (await store.get('request', key)) ?? { template_id: '' }).machines;
          await store.commit(changes);
        },
        async reserved(scope) {
          const sums = await store.reserved(scope);
          return { ...sums, machines: sums.machines + kept.machines };
        },
      }));
    },
  ],
  [
    'an addition that is read and written',
    'many add at once: nothing is lost',
    () =>
      spoiledStorage((store) => ({
        async commit(changes) {
          const all = changes.map(async (change): Promise<Change> => {
            if (change.op !== 'add') return change;
            const value: Record<string, number> = { ...((await store.get('fact', change.key))?.value as object) };
            for (const [name, amount] of Object.entries(change.amounts)) value[name] = (value[name] ?? 0) + amount;
            return { op: 'put', kind: 'fact', record: { ...change.key, value, at: change.at } };
          });
          await store.commit(await Promise.all(all));
        },
      })),
  ],
  [
    'a machine that is taken from another request',
    'a machine that lives is never made one of another request',
    () =>
      spoiledStorage((store) =>
        changed(store, (change) =>
          change.op === 'put' && change.kind === 'machine'
            ? [{ op: 'delete', kind: 'machine', key: change.record }, change]
            : change,
        ),
      ),
  ],
  [
    'an insert that replaces',
    'an insert of a key that is taken is refused',
    () =>
      spoiledStorage((store) =>
        changed(store, (change) =>
          change.op === 'insert' && change.kind === 'request'
            ? [{ op: 'delete', kind: 'request', key: { request_id: change.record.request_id } }, change]
            : change,
        ),
      ),
  ],
  [
    'fences that hold for every epoch',
    'a commit under another epoch than the present one is refused',
    () =>
      spoiledStorage((store) => ({
        async commit(changes) {
          const fresh = changes.map(async (change) => {
            if (change.op !== 'fence' || change.request_id === undefined) return change;
            return {
              ...change,
              epoch: (await store.get('request', { request_id: change.request_id }))?.epoch ?? change.epoch,
            };
          });
          await store.commit(await Promise.all(fresh));
        },
      })),
  ],
  [
    'fences that are checked before the commit waits for its turn',
    'a commit under an old epoch is refused, also when it began before the take-over',
    () =>
      spoiledStorage((store) => ({
        async commit(changes) {
          const fences = changes.filter((change) => change.op === 'fence' && change.request_id !== undefined);
          if (fences.length === 0) return store.commit(changes);
          const present = async (request_id: string) => (await store.get('request', { request_id }))?.epoch ?? -1;
          const [fence] = fences;
          if (fence?.op !== 'fence' || (await present(fence.request_id ?? '')) !== fence.epoch)
            return store.commit(changes);
          await after(20);
          const late = changes.map(async (change) =>
            change.op === 'fence' ? { ...change, epoch: await present(change.request_id ?? '') } : change,
          );
          await store.commit(await Promise.all(late));
        },
      })),
  ],
  [
    'events that become visible out of order',
    'a reader of the journal that goes on behind the last event it saw skips none',
    () => {
      const asked = new Set<number>();
      return spoiledStorage((store) => ({
        async find(kind, query) {
          const found = await store.find(kind, query);
          if (kind !== 'event') return found;
          return (found as readonly EventRecord[]).filter(({ seq }) => {
            const isVisible = seq % 5 > 0 || asked.has(seq);
            asked.add(seq);
            return isVisible;
          }) as never;
        },
      }));
    },
  ],
  [
    'an update that ignores what was read',
    'update replaces what was read, once',
    () =>
      spoiledStorage((store) =>
        changed(store, (change) =>
          change.op === 'update' && change.kind === 'template'
            ? { op: 'put', kind: 'template', record: change.record }
            : change,
        ),
      ),
  ],
  [
    'counts that stay as they were first',
    'counts by status follow every insert, change and delete',
    () =>
      spoiledStorage((store) => {
        const first = new Map<string, Promise<number>>();
        return {
          count(kind, where) {
            const asked = JSON.stringify([kind, where]);
            const kept = first.get(asked) ?? store.count(kind, where);
            first.set(asked, kept);
            return kept;
          },
        };
      }),
  ],
  [
    'a number of changes that stands still',
    'the number of changes of a kind rises with what changes it',
    () => spoiledStorage(() => ({ changes: async () => 0 })),
  ],
  [
    'leases that never end',
    'when the lease ends another broker takes over',
    () => spoiledStorage((store) => ({ claim: (broker, limit) => store.claim(broker, limit, 1e12) })),
  ],
  [
    'a yield that does nothing',
    'what was yielded can be claimed at once',
    () => spoiledStorage(() => ({ yield: async () => {} })),
  ],
  [
    'a renewal of what others hold',
    'renew prolongs all claims of its broker alone',
    () => spoiledStorage((store) => ({ renew: (_, lease_ms) => store.renew(aBroker(), lease_ms) })),
  ],
  [
    'a broker that is not listed',
    'a broker that joined is listed as it described itself last',
    () => spoiledStorage(() => ({ brokers: async () => [] })),
  ],
  [
    'a dead broker that is listed for ever',
    'is listed for ten minutes after',
    () =>
      spoiledStorage((store) => {
        const seen = new Map<string, BrokerState>();
        return {
          async brokers() {
            for (const each of await store.brokers()) seen.set(each.broker_id, each);
            return [...seen.values()];
          },
        };
      }),
  ],
  [
    'a leave that does nothing',
    'a broker that leaves is listed no longer',
    () => spoiledStorage(() => ({ leave: async () => {} })),
  ],
  [
    'an ended lease that begins again with its claims',
    'a lease that ended is not renewed',
    () =>
      spoiledStorage((store) => {
        let last: readonly Held[] = [];
        return {
          async claim(...asked) {
            const claims = await store.claim(...asked);
            last = claims;
            return claims;
          },
          renew: async (...asked) => ({ ...(await store.renew(...asked)), claims: last }),
        };
      }),
  ],
  [
    'claims of what another broker should serve',
    'a broker does not claim what only another live broker can serve',
    () =>
      spoiledStorage((store) => ({
        claim: (broker, ...more) => store.claim({ ...broker, serves: both }, ...more),
        renew: (broker, lease_ms) => store.renew({ ...broker, serves: both }, lease_ms),
      })),
  ],
  [
    'a name that is taken for the cloud behind it',
    'an instance of the same name in another cloud does not serve a request',
    () =>
      spoiledStorage((store) => ({
        claim: (broker, ...more) => store.claim({ ...broker, serves: both }, ...more),
        renew: (broker, lease_ms) => store.renew({ ...broker, serves: both }, lease_ms),
      })),
  ],
  [
    'requests that nobody claims because nobody can serve them',
    'a request that no live broker can serve is claimed by any of them',
    () =>
      spoiledStorage((store) => ({
        async claim(broker, ...more) {
          const claims = await store.claim(broker, ...more);
          const found = await Promise.all(claims.map(({ request_id }) => store.get('request', { request_id })));
          return claims.filter((_, i) => canServe(broker, found[i]?.needs));
        },
      })),
  ],
  [
    'a broker that keeps what it cannot serve',
    'a broker yields what it cannot serve as soon as another one can',
    () =>
      spoiledStorage((store) => ({ renew: async (...asked) => ({ ...(await store.renew(...asked)), surplus: [] }) })),
  ],
  [
    'a broker that takes everything',
    'live brokers claim equal shares of what both can serve',
    () =>
      spoiledStorage((store) => {
        let first: BrokerRecord | undefined;
        return {
          claim: (broker, ...more) => store.claim((first ??= broker), ...more),
          renew: (broker, lease_ms) => store.renew(first ?? { ...broker, draining: true }, lease_ms),
        };
      }),
  ],
  [
    'a broker above its share that yields nothing',
    'a broker above its share yields the rest',
    () =>
      spoiledStorage((store) => ({ renew: async (...asked) => ({ ...(await store.renew(...asked)), surplus: [] }) })),
  ],
  [
    'a draining broker that is counted',
    'a draining broker has no share',
    () =>
      spoiledStorage((store) => ({
        renew: (broker, lease_ms) => store.renew({ ...broker, draining: false }, lease_ms),
      })),
  ],
  [
    'a job that two brokers have',
    'a job is given to one broker at a time',
    () => spoiledStorage((store) => ({ job: (_, job, lease_ms) => store.job(aBroker(), job, lease_ms) })),
  ],
  [
    'a job that is never free',
    'a job is free when it was freed',
    () => spoiledStorage(() => ({ freeJob: async () => {} })),
  ],
  [
    'a renewal that forgets the jobs',
    'a renewal keeps the jobs of a broker',
    () =>
      spoiledStorage((store) => ({ renew: async (broker) => ({ claims: [], surplus: [], live: [broker], store }) })),
  ],
  [
    'a fence of a job that is not checked',
    'a commit under the epoch of a job is refused after another broker took it over',
    () =>
      spoiledStorage((store) => ({
        commit: (changes) =>
          store.commit(changes.filter((change) => change.op !== 'fence' || change.job === undefined)),
      })),
  ],
  [
    'a job that everybody gets who asks at once',
    'many brokers ask for a job at once: one gets it',
    () =>
      spoiledStorage((store) => ({
        job: async (broker, job, lease_ms) => (await store.job(broker, job, lease_ms)) ?? { job, epoch: 1 },
      })),
  ],
  [
    'a close that can be called once',
    'close waits for commits under way, may be called twice',
    () =>
      spoiledStorage((store) => {
        let closed = false;
        return {
          async close() {
            if (closed) throw new BrokerError('UNAVAILABLE', 'It is closed.');
            closed = true;
            await store.close();
          },
        };
      }),
  ],
  [
    'ties in another order',
    'order is by the columns given, then by key in the direction of the last',
    () =>
      spoiledStorage((store) => ({
        find: (kind, query) =>
          store.find(
            kind,
            query.order?.length ? { ...query, order: [...query.order, ['machine_id', 'asc']] as never } : query,
          ),
      })),
  ],
  [
    'records that are handed out as they are kept',
    'what was given or read can be changed without changing what is stored',
    () =>
      spoiledStorage((store) => {
        let kept: Promise<unknown> | undefined;
        return { get: (kind, key) => (kept ??= store.get(kind, key)) as never };
      }),
  ],
  ['a reopen that begins empty', 'what was committed is there after a reopen', () => memory],
  [
    'an option without a description',
    'its options are an object of fields, none of them called `type`',
    () => pluginOf({ ...open, options: { type: 'object', properties: { place: { type: 'string' } } } }),
  ],
  [
    'a check that counts wrongly',
    'an intact storage is reported as valid, with the number of records of each kind',
    () => pluginOf({ ...open, check: async () => looked(true, { request: 1 }) }),
  ],
  [
    'a check that reports everything as valid',
    'another file that is no copy is not reported as valid',
    () =>
      pluginOf({
        ...open,
        check: async () => looked(true, {}),
        backup: () => Promise.reject(new Error('It cannot copy.')),
      }),
  ],
];

const sound = checksOf(pluginOf(open));
const without = 'a check';
for (const [defect, words, plugin] of defects) {
  test(`the kit of storages catches ${defect}`, async (t) => {
    if (!defect.startsWith(without))
      t.is(await sound.failureOf(words), undefined, 'a sound storage passes this check');
    t.true((await checksOf(plugin()).failureOf(words)) instanceof AssertionError);
  });
}

/** A storage in memory whose own clock stands where `setTime` puts it; `ofCaller` makes it use the clock of its caller. */
function withOwnClock(ofCaller: boolean): Parameters<typeof testStorage>[0] & { readonly checks: CollectingRunner } {
  const checks = collectingRunner();
  const times = new Map<string, number>();
  const plugin = pluginOf({
    ...open,
    shared: false,
    open: async ({ place }: { readonly place: string }, { clock, log }: StorageContext) =>
      memoryDriver().open(
        {},
        ofCaller ? { clock, log } : { clock: { ...clock, now: () => times.get(place) ?? 0 }, log },
      ),
  });
  return {
    checks,
    test: checks.runner,
    plugin: () => plugin,
    place: () => `${(places += 1)}`,
    options: (place) => ({ place }),
    setTime: async (place, ms) => void times.set(place, ms),
  };
}

test('the kit of storages catches leases by the clock of the caller where the storage has its own', async (t) => {
  const words = 'claim takes what is due by the clock of the store';
  const right = withOwnClock(false);
  testStorage(right);
  t.is(await right.checks.failureOf(words), undefined);
  const wrong = withOwnClock(true);
  testStorage(wrong);
  t.true((await wrong.checks.failureOf(words)) instanceof AssertionError);
});

const interruptions = 'amid interruptions each commit is stored, refused, or of an unknown outcome';
for (const [defect, isWritten, told, expected] of [
  ['nothing in an interruption that it says', false, {}, undefined],
  ['a refused commit that was written', true, {}, AssertionError],
  ['no unknown outcome, which may be written', true, { outcome: 'unknown' }, undefined],
] as const) {
  test(`the kit of storages catches ${defect}`, async (t) => {
    const checks = collectingRunner();
    let isInterrupted = false;
    const plugin = spoiledStorage((store) => ({
      async commit(changes) {
        await after(1);
        if (!isInterrupted) return store.commit(changes);
        if (isWritten) await store.commit(changes);
        throw new BrokerError('UNAVAILABLE', 'It does not serve.', told);
      },
    }));
    testStorage({
      test: checks.runner,
      plugin: () => plugin,
      place: () => `${(places += 1)}`,
      options: (place) => ({ place }),
      interrupt: async () => {
        isInterrupted = true;
        await after(10);
        isInterrupted = false;
      },
    });
    const failure = await checks.failureOf(interruptions);
    if (expected) t.true(failure instanceof expected);
    else t.is(failure, undefined);
  });
}

test('the kit of storages catches a storage that acknowledges what a kill takes away', async (t) => {
  const checks = collectingRunner();
  const module = new URL('../../plugins/storage-memory/index.ts', import.meta.url);
  testStorage({ test: checks.runner, plugin: () => memory, place: () => '', options: () => ({}), module });
  const check = 'an acknowledged commit is complete after the process is killed (SIGKILL)';
  t.true((await checks.failureOf(check)) instanceof AssertionError);
});

test('the kit of storages catches claims that two processes hold at a time', async (t) => {
  const checks = collectingRunner();
  const module = new URL('../support/double-claims-storage.ts', import.meta.url);
  testStorage({
    test: checks.runner,
    plugin: () => doubleClaims,
    place: freshPath,
    options: (path) => ({ path }),
    module,
  });
  const failure = await checks.failureOf('three processes claim at once: no request is ever held twice at a time');
  t.true(failure instanceof AssertionError, String(failure));
  t.regex(String(failure), /CONFLICT|claimed while somebody worked|epoch of its own/);
});

test('what the kit of storages cannot show is a todo, never passed', (t) => {
  const elsewhere = sound.todos.filter((title) =>
    title.endsWith('(not shown: the `module` of the plugin, for another process)'),
  );
  t.is(elsewhere.length, 7);
  t.is(sound.todos.filter((title) => title.includes('a driver that can `check`')).length, 3);
  const checks = collectingRunner();
  testStorage({ test: checks.runner, plugin: () => memory, durable: false, place: () => '', options: () => ({}) });
  t.true(
    checks.todos.some((title) =>
      title.endsWith(
        'there after a reopen: records, versions, claims and numbers (not shown: a storage that is durable)',
      ),
    ),
  );
});

test('a storage that the plugin does not contribute is reported at once', (t) => {
  const ask = (type: string) =>
    testStorage({ test: () => {}, plugin: () => memory, type, place: () => '', options: () => ({}) });
  t.throws(() => ask('disk'), { message: "Plugin 'storage-memory' contributes no storage 'disk'; it has 'memory'." });
});
