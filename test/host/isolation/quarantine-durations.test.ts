import test from 'ava';
import { SharedCallTracking, callMemory, readTracking } from '../../../host/loop/diagnosis/shared-call-tracking.ts';
import { QuarantineDurations } from '../../../host/loop/diagnosis/quarantine-durations.ts';
import { endedBy, diagnoseHang } from '../../../host/loop/diagnosis/hang-diagnosis.ts';

const of = (request_id: string, template_id: string) => ({ request_id, template_id });
const why = () => 'it hung';

test('who stops the thread again and again is left alone twice as long each time, up to an hour, and is forgiven after an hour without', (t) => {
  let now = 0;
  const quarantine = new QuarantineDurations(() => now);
  const times = Array.from({ length: 8 }, () => {
    const { ms } = quarantine.add('east', undefined, why);
    now += ms;
    return ms / 60_000;
  });
  t.deepEqual(times, [1, 2, 4, 8, 16, 32, 60, 60]);
  now += 3_600_000;
  t.deepEqual(quarantine.add('east', undefined, why), { name: 'east', ms: 60_000 });
  t.deepEqual(
    quarantine.add('west', undefined, () => 'too'),
    { name: 'west', ms: 60_000 },
  );
  now += 20_000;
  t.deepEqual(quarantine.present(), [
    { name: 'east', ms: 40_000, why: 'it hung' },
    { name: 'west', ms: 40_000, why: 'too' },
  ]);
  now += 40_000;
  t.deepEqual(quarantine.present(), []);
});

test('requests of a template are left alone before the instance is, and the instance after three templates within an hour', (t) => {
  let now = 0;
  const quarantine = new QuarantineDurations(() => now);
  t.deepEqual(quarantine.add('east', of('r1', 'a'), why), { name: 'east', template_id: 'a', ms: 60_000 });
  t.deepEqual(quarantine.add('east', of('r2', 'a'), why), { name: 'east', template_id: 'a', ms: 120_000 });
  t.deepEqual(quarantine.add('east', of('r3', 'b'), why), { name: 'east', template_id: 'b', ms: 60_000 });
  t.deepEqual(quarantine.add('west', of('r3', 'c'), why), { name: 'west', template_id: 'c', ms: 60_000 });
  t.deepEqual(
    quarantine.present().map(({ name, template_id }) => [name, template_id]),
    [
      ['east', 'a'],
      ['east', 'b'],
      ['west', 'c'],
    ],
  );
  now += 600_000;
  const told: unknown[] = [];
  t.deepEqual(
    quarantine.add('east', of('r4', 'c'), (charged) => {
      told.push(charged);
      return 'it hung';
    }),
    { name: 'east', ms: 60_000 },
  );
  t.deepEqual(told, [{ ms: 60_000, template_id: 'c' }, { ms: 60_000 }]);
  now += 2 * 3_600_000;
  t.deepEqual(quarantine.add('east', of('r5', 'd'), why), { name: 'east', template_id: 'd', ms: 60_000 });
});

const own = ['file:///muster/core/'];
const ours = { name: 'nextStep', url: 'file:///muster/core/lifecycle/x.ts', line: 1 };
const theirs = { name: 'spin', url: 'file:///acme/index.ts', line: 7 };

test('only the call during which the thread was stopped is suspected', (t) => {
  const tracking = { running: { name: 'west' }, open: ['east', 'west'] };
  t.deepEqual(diagnoseHang({ frames: [theirs, ours], owner: { name: 'east', of: of('r', 't') } }, tracking, own), {
    names: ['east'],
    of: of('r', 't'),
    where: 'spin (file:///acme/index.ts:7)',
  });
});

test("without a named call the synchronous call is suspected, in muster's own code none, otherwise every pending call", (t) => {
  t.deepEqual(diagnoseHang(undefined, { running: { name: 'west' }, open: ['east', 'west'] }, own).names, ['west']);
  t.deepEqual(diagnoseHang({ frames: [ours] }, { open: ['east'] }, own).names, []);
  t.deepEqual(diagnoseHang({ frames: [theirs, ours] }, { open: ['east', 'west'] }, own).names, ['east', 'west']);
  t.deepEqual(diagnoseHang(undefined, { open: ['east'] }, own).names, ['east']);
  t.deepEqual(diagnoseHang(undefined, { open: [] }, own).names, []);
});

test('marks say who runs at once and whose calls are under way, and in whose name timers run', async (t) => {
  const memory = callMemory();
  const names = ['east', 'west'];
  const tracking = new SharedCallTracking(memory, names);
  const seen: unknown[] = [];
  let end = (): void => undefined;
  const long = tracking.call('east', async () => {
    seen.push(readTracking(memory, names));
    await new Promise<void>((resolve) => (end = resolve));
    return tracking.owner();
  });
  t.deepEqual(readTracking(memory, names), { open: ['east'] });
  tracking.pure('west', () => seen.push(readTracking(memory, names)));
  t.deepEqual(seen, [
    { running: { name: 'east' }, open: ['east'] },
    { running: { name: 'west' }, open: ['east'] },
  ]);
  await t.throwsAsync(
    tracking.call('west', () => {
      throw new Error('at once');
    }),
  );
  end();
  t.deepEqual(await long, { name: 'east' });
  t.deepEqual(readTracking(memory, names), { open: [] });
  t.is(tracking.owner(), undefined);
});

test('marks say for which request a plugin is called, and in whose name a thread ends itself', async (t) => {
  const memory = callMemory();
  const names = ['east', 'west'];
  const tracking = new SharedCallTracking(memory, names);
  const [one, other] = [of('req-1', 'small'), of('req-2', 'größer')];
  const seen: unknown[] = [];
  const see = () => void seen.push(readTracking(memory, names).running);
  await tracking.call('east', async () => {
    see();
    tracking.pure('west', see);
    see();
    await tracking.call('west', async () => see(), [other]);
  }, [one]);
  tracking.about(other, () => tracking.pure('west', see));
  await tracking.call('east', async () => see(), [one, other]);
  t.deepEqual(seen, [
    { name: 'east', of: one },
    { name: 'west' },
    { name: 'east', of: one },
    { name: 'west', of: other },
    { name: 'west', of: other },
    { name: 'east' },
  ]);
  t.deepEqual(readTracking(memory, names), { open: [] });
  await tracking.call('east', async () => tracking.recordExit(), [one]);
  t.deepEqual(readTracking(memory, names).ended_by, { name: 'east', of: one });
});

test('who ended a thread is in whose name it ended, else who ran at once, else of whom a call was under way twice in a row', (t) => {
  const open = ['east', 'west'];
  t.deepEqual(endedBy({ ended_by: { name: 'west', of: of('r', 't') }, running: { name: 'east' }, open }, []), {
    names: ['west'],
    of: of('r', 't'),
  });
  t.deepEqual(endedBy({ running: { name: 'east' }, open }, open), { names: ['east'] });
  t.deepEqual(endedBy({ open }, []), { names: [] });
  t.deepEqual(endedBy({ open }, ['west', 'south']), { names: ['west'] });
});
