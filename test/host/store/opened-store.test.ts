import test from 'ava';
import { BrokerError } from '../../../core/contract/errors.ts';
import { silentLog } from '../../../core/contract/log.ts';
import { systemClock } from '../../../core/contract/clock.ts';
import { openedStore } from '../../../host/store/opened-store.ts';
import { MemoryStore } from '../../../plugins/storage-memory/memory-store.ts';

const context = { clock: systemClock, log: silentLog };
const openedWith = (open: unknown) => openedStore({ type: 'acme', open } as never, {}, context);

test('a storage that does not open is named, with what its plugin threw', async (t) => {
  const thrown: readonly (readonly [unknown, RegExp])[] = [
    [async () => Promise.reject(new Error('no disk')), /^Storage 'acme' did not open: no disk$/],
    [async () => Promise.reject(undefined), /^Storage 'acme' did not open: .*undefined/],
    [undefined, /^Storage 'acme' did not open: .*open is not a function/],
  ];
  for (const [open, message] of thrown) await t.throwsAsync(openedWith(open), { instanceOf: BrokerError, message });
  const own = new BrokerError('CONFLICT', 'Another server runs.');
  t.is(await t.throwsAsync(openedWith(async () => Promise.reject(own))), own);
});

test('a store without all its methods is refused with their names', async (t) => {
  await t.throwsAsync(
    openedWith(async () => undefined),
    { message: /opened a store without get, find, .*, close\./ },
  );
  await t.throwsAsync(
    openedWith(async () => ({})),
    { message: /opened a store without get, find, / },
  );
  const store = new MemoryStore(context);
  const without = new Proxy(store, { get: (of, name) => (name === 'renew' ? undefined : Reflect.get(of, name)) });
  await t.throwsAsync(
    openedWith(async () => without),
    {
      code: 'INVALID_CONFIGURATION',
      message: /opened a store without renew\. Correct the plugin/,
    },
  );
  t.is(await openedWith(async () => store), store);
});

test('a refused store is closed, and what its close throws hides no cause', async (t) => {
  let closed = 0;
  for (const close of [
    async () => void (closed += 1),
    () => (closed += 1),
    async () => Promise.reject(new Error('no')),
  ])
    await t.throwsAsync(
      openedWith(async () => ({ close })),
      { code: 'INVALID_CONFIGURATION', message: /opened a store without get, find, / },
    );
  t.is(closed, 2);
  // One cannot be read, and one never closes: after five seconds it counts as closed.
  const unreadable = Object.defineProperty({ close: async () => void (closed += 1) }, 'get', {
    get() {
      throw new Error('not today');
    },
  });
  await t.throwsAsync(
    openedWith(async () => unreadable),
    { message: /did not open: not today/ },
  );
  t.is(closed, 3);
  await t.throwsAsync(
    openedWith(async () => ({ close: () => new Promise(() => undefined) })),
    { message: /opened a store without get, find, / },
  );
});
