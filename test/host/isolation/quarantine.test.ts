import test from 'ava';
import { CallMarks, callMemory, readMarks } from '../../../host/call-marks.ts';
import { Quarantine } from '../../../host/quarantine.ts';
import { suspectsOf } from '../../../host/suspects.ts';

test('who hangs the thread again and again is left alone twice as long each time, up to an hour, and is forgiven after an hour without', (t) => {
  let now = 0;
  const quarantine = new Quarantine(() => now);
  const times = Array.from({ length: 8 }, () => {
    const ms = quarantine.add('east', () => 'it hung');
    now += ms;
    return ms / 60_000;
  });
  t.deepEqual(times, [1, 2, 4, 8, 16, 32, 60, 60]);
  now += 3_600_000;
  t.is(
    quarantine.add('east', () => 'it hung'),
    60_000,
  );
  t.is(
    quarantine.add('west', () => 'too'),
    60_000,
  );
  now += 20_000;
  t.deepEqual(quarantine.present(), [
    { name: 'east', ms: 40_000, why: 'it hung' },
    { name: 'west', ms: 40_000, why: 'too' },
  ]);
  now += 40_000;
  t.deepEqual(quarantine.present(), []);
});

const own = ['file:///muster/core/'];
const ours = { name: 'nextStep', url: 'file:///muster/core/lifecycle/x.ts', line: 1 };
const theirs = { name: 'spin', url: 'file:///acme/index.ts', line: 7 };

test('the one in whose name the thread was stopped is suspected, and nobody else', (t) => {
  const marks = { at_once: 'west', under_way: ['east', 'west'] };
  t.deepEqual(suspectsOf({ frames: [theirs, ours], whose: 'east' }, marks, own), {
    names: ['east'],
    where: 'spin (file:///acme/index.ts:7)',
  });
});

test('without a name it is who was in the part that runs at once; in code of our own nobody; else everyone with a call under way', (t) => {
  t.deepEqual(suspectsOf(undefined, { at_once: 'west', under_way: ['east', 'west'] }, own).names, ['west']);
  t.deepEqual(suspectsOf({ frames: [ours] }, { under_way: ['east'] }, own).names, []);
  t.deepEqual(suspectsOf({ frames: [theirs, ours] }, { under_way: ['east', 'west'] }, own).names, ['east', 'west']);
  t.deepEqual(suspectsOf(undefined, { under_way: ['east'] }, own).names, ['east']);
  t.deepEqual(suspectsOf(undefined, { under_way: [] }, own).names, []);
});

test('marks say who runs at once and whose calls are under way, and in whose name timers run', async (t) => {
  const memory = callMemory();
  const names = ['east', 'west'];
  const marks = new CallMarks(memory, names);
  const seen: unknown[] = [];
  let end = (): void => undefined;
  const long = marks.call('east', async () => {
    seen.push(readMarks(memory, names));
    await new Promise<void>((resolve) => (end = resolve));
    return marks.whose();
  });
  t.deepEqual(readMarks(memory, names), { under_way: ['east'] });
  marks.pure('west', () => seen.push(readMarks(memory, names)));
  t.deepEqual(seen, [
    { at_once: 'east', under_way: ['east'] },
    { at_once: 'west', under_way: ['east'] },
  ]);
  await t.throwsAsync(
    marks.call('west', () => {
      throw new Error('at once');
    }),
  );
  end();
  t.is(await long, 'east');
  t.deepEqual(readMarks(memory, names), { under_way: [] });
  t.is(marks.whose(), undefined);
});
