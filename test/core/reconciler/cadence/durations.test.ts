import test from 'ava';
import { Durations } from '../../../../core/reconciler/cadence/durations.ts';

const small = { provider_instance: 'east', machine_type: 't3.small', zone: 'east-1a' };

test('nothing is expected of an instance whose machines were never seen to change', (t) => {
  const durations = new Durations();
  durations.learn('boot', small, { from: 1_000, to: 1_200 });
  t.is(durations.expected('boot', { provider_instance: 'west' }), undefined);
  t.is(durations.expected('shutdown', small), undefined);
});

test('the range covers what was seen of the type and zone, else of all machines of the instance', (t) => {
  const durations = new Durations();
  durations.learn('boot', small, { from: 1_000, to: 1_200 });
  durations.learn('boot', small, { from: 900, to: 1_100 });
  durations.learn('boot', { ...small, machine_type: 'm5.large' }, { from: 50_000, to: 52_000 });
  t.deepEqual(durations.expected('boot', small), { from: 900, to: 1_200 });
  t.deepEqual(durations.expected('boot', { ...small, zone: 'east-1b' }), { from: 900, to: 52_000 });
});

test('a single machine that took unusually long does not widen the range for the next ones', (t) => {
  const durations = new Durations();
  for (let i = 0; i < 12; i++) durations.learn('boot', small, { from: 1_000, to: 1_200 });
  durations.learn('boot', small, { from: 300_000, to: 302_000 });
  t.deepEqual(durations.expected('boot', small), { from: 1_000, to: 1_200 });
});

test('old durations are forgotten: machines of a new image may boot at another speed', (t) => {
  const durations = new Durations();
  for (let i = 0; i < 20; i++) durations.learn('boot', small, { from: 1_000, to: 1_200 });
  for (let i = 0; i < 20; i++) durations.learn('boot', small, { from: 30_000, to: 31_000 });
  t.deepEqual(durations.expected('boot', small), { from: 30_000, to: 31_000 });
});
