import test from 'ava';
import { openWithQueue, stateEvent } from './interruption-support.ts';
import { fastClock } from '../../support/fast-clock.ts';
test('rest', async (t) => {
  t.timeout(600_000);
  const clock = fastClock(3);
  const template = (id: string, provider_api: string) => ({
    template_id: id,
    provider_api,
    image_id: 'ami-1',
    machine_type: 't3.small',
    price_type: 'spot',
    subnet_ids: ['subnet-1', 'subnet-2'],
    ...(provider_api === 'EC2Fleet' ? { fleet_type: 'instant' } : {}),
  });
  const { simulator, order, put, until, left } = await openWithQueue(
    t,
    {},
    { clock, settings: {}, templates: [template('run', 'RunInstances'), template('fleet', 'EC2Fleet')] },
  );
  const all: string[] = [];
  for (let i = 0; i < 100; i++) all.push(...(await order(i % 2 ? 'run' : 'fleet', 100)).ids);
  await until(async () => left() === 0);
  t.log(all.length);
  put([stateEvent(all[0] ?? '', 'running')]);
  const start = clock.monotonic();
  const minutes: Record<number, Record<string, number>> = {};
  let n = simulator.audit().at(-1)?.n ?? 0;
  while (clock.monotonic() - start < 14 * 60_000) {
    await new Promise((r) => void setTimeout(r, 100));
    const minute = Math.floor((clock.monotonic() - start) / 60_000);
    const fresh = simulator.audit(n);
    n = fresh.at(-1)?.n ?? n;
    for (const { action } of fresh) {
      if (/Queue|Message/.test(action)) continue;
      const m = (minutes[minute] ??= {});
      m[action] = (m[action] ?? 0) + 1;
    }
  }
  for (const [minute, calls] of Object.entries(minutes))
    t.log(
      minute,
      Object.values(calls).reduce((a, b) => a + b, 0),
      JSON.stringify(calls),
    );
  t.pass();
});
