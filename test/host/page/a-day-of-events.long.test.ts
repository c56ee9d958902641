import test from 'ava';
import type { CDPSession } from 'playwright-core';
import { newEvent } from '../../../core/contract/commits/new-event.ts';
import { startWorld, type World } from './world.ts';

let world: World;

test.before(async () => {
  world = await startWorld();
});
test.after.always(() => world?.close());

/** Bytes of the page that are in use after its garbage was collected. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize;
}

/** Stores so many events, of requests that nobody has. */
async function happen(count: number, from: number): Promise<void> {
  const { store } = world.broker.broker;
  for (let done = 0; done < count; done += 200)
    await store.commit(
      Array.from({ length: 200 }, (_, index) =>
        newEvent(
          Date.now(),
          'request.created',
          { machine_count: 1, template_id: 'small' },
          `req-${from + done + index}`,
        ),
      ),
    );
}

test('the events of a day do not fill the memory of a page that stays open', async (t) => {
  t.timeout(200_000);
  const { page, troubles } = await world.open('/');
  await page.getByText('Live', { exact: true }).waitFor();
  const session = await page.context().newCDPSession(page);
  const shown = (request: string) => page.getByText(request).first().waitFor({ state: 'attached', timeout: 60_000 });
  // Whatever the page keeps at most is there then.
  await happen(20_000, 0);
  await shown('req-19999');
  const before = await heapOf(session);
  await happen(80_000, 20_000);
  await shown('req-99999');
  const grown = (await heapOf(session)) - before;
  t.log(`${Math.round(before / 1e6)} MB, and ${Math.round(grown / 1e3)} kB more after 80 000 events`);
  t.true(grown < 3_000_000, `${grown} bytes more`);
  // A day within seconds: the server may cut off a reader that falls behind, and the page resumes.
  const others = troubles.filter((trouble) => !trouble.includes('ERR_INCOMPLETE_CHUNKED_ENCODING'));
  t.deepEqual(others, []);
});
