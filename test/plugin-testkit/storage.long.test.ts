import { AssertionError } from 'node:assert';
import { setTimeout as after } from 'node:timers/promises';
import test from 'ava';
import {
  BrokerError,
  type Change,
  type EventRecord,
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
            if (change.op !== 'fence') return change;
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
          const fences = changes.filter((change) => change.op === 'fence');
          if (fences.length === 0) return store.commit(changes);
          const present = async (request_id: string) => (await store.get('request', { request_id }))?.epoch ?? -1;
          const [fence] = fences;
          if (fence && (await present(fence.request_id)) !== fence.epoch) return store.commit(changes);
          await after(20);
          const late = changes.map(async (change) =>
            change.op === 'fence' ? { ...change, epoch: await present(change.request_id) } : change,
          );
          await store.commit(await Promise.all(late));
        },
      })),
  ],
  [
    'events that become visible out of order',
    'a reader of the journal that goes on behind the last event it saw skips none',
    () =>
      spoiledStorage((store) => {
        const asked = new Set<number>();
        return {
          async find(kind, query) {
            const found = await store.find(kind, query);
            if (kind !== 'event') return found;
            return (found as readonly EventRecord[]).filter(({ seq }) => {
              const isVisible = seq % 5 > 0 || asked.has(seq);
              asked.add(seq);
              return isVisible;
            }) as never;
          },
        };
      }),
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
    'when the lease ends another owner takes over',
    () => spoiledStorage((store) => ({ claim: (owner, limit) => store.claim(owner, limit, 1e12) })),
  ],
  [
    'a yield that does nothing',
    'what was yielded can be claimed at once',
    () => spoiledStorage(() => ({ yield: async () => {} })),
  ],
  [
    'a renewal of what others hold',
    'renew prolongs all claims of its owner alone',
    () => spoiledStorage((store) => ({ renew: (owner, lease_ms) => store.renew({ ...owner, thread: 1 }, lease_ms) })),
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
