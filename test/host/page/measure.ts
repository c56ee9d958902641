/**
 * Measures the page in a real browser: the time to the first content of a fresh load over loopback, and the longest
 * task while 100 000 machines are scrolled. `npm run page:measure`. Nothing is asserted: see docs/guides/page.md.
 */
import { machineOf } from '../../support/records.ts';
import { startWorld } from './world.ts';

const total = 100_000;
const world = await startWorld({ loop: 'none' });
for (let first = 0; first < total; first += 5_000)
  await world.broker.broker.store.commit(
    Array.from({ length: 5_000 }, (_, index) => ({
      op: 'put',
      kind: 'machine',
      record: machineOf(`i-${String(first + index).padStart(6, '0')}`, { created_at: 1_000 + first + index }),
    })),
  );

const loads: number[] = [];
for (let load = 0; load < 5; load += 1) {
  const { page } = await world.open('/');
  await page.locator('.figures').waitFor();
  loads.push(
    await page.evaluate(() =>
      Math.round((globalThis as any).performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0),
    ),
  );
  await page.context().close();
}
console.log(`first content: ${loads.join(', ')} ms`);

const { page } = await world.open('/machines');
await page.getByRole('row', { name: 'i-099999' }).waitFor();
const list = page.getByRole('table', { name: 'Machines' });
const frames: readonly number[] = await list.evaluate(async (element: any) => {
  const { requestAnimationFrame, performance } = globalThis as any;
  const times: number[] = [];
  const next = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
  await next();
  for (let frame = 0; frame < 300; frame += 1) {
    const before = performance.now();
    element.scrollTop += frame < 200 ? 900 : 300_000 % element.scrollHeight;
    await next();
    times.push(performance.now() - before);
  }
  return times;
});
const sorted = frames.toSorted((a, b) => b - a).map((ms) => Math.round(ms * 10) / 10);
console.log(
  `scrolling ${total} machines, longest frames: ${sorted.slice(0, 5).join(', ')} ms; median ${sorted[150]} ms`,
);
await world.close();
