import test from 'ava';
import type { AttemptRecord, Shortfall } from '../../../../core/index.ts';
import { withShortfall } from '../../../../core/reconciler/state/attempt.ts';
import { withCloudRequests, withObservedOutcomes, withOutcomes } from '../../../../core/reconciler/state/outcomes.ts';
import { attemptOf } from '../../../support/records.ts';

const short = (offer: string, message = 'No machines.'): Shortfall => ({
  offer,
  kind: 'capacity',
  code: 'ICE',
  message,
});

test('equal answers are counted, with the time and the message of the last one', (t) => {
  const once = withOutcomes(attemptOf(1), [short('a')], 5);
  t.deepEqual(once.outcomes, [{ at: 5, ...short('a') }]);
  const other = withOutcomes(once, [{ kind: 'throttled', code: 'Slow', message: 'Slow down.', offer: undefined }], 6);
  const twice = withOutcomes(other, [short('a', 'Still none.')], 7);
  t.deepEqual(twice.outcomes, [
    { at: 6, kind: 'throttled', code: 'Slow', message: 'Slow down.' },
    { at: 7, ...short('a', 'Still none.'), count: 2 },
  ]);
  t.is(withOutcomes(twice, [short('a')], 8).outcomes?.at(-1)?.count, 3);
});

test('the last outcomes are kept, with messages of a bounded length', (t) => {
  let attempt: AttemptRecord = attemptOf(1);
  for (let i = 0; i < 5_000; i++) attempt = withOutcomes(attempt, [short(`offer-${i}`, 'x'.repeat(5_000))], i);
  t.is(attempt.outcomes?.length, 16);
  t.is(attempt.outcomes?.at(-1)?.offer, 'offer-4999');
  t.true(JSON.stringify(attempt.outcomes).length < 12_000);
  const many = Array.from({ length: 300 }, (_, index) => short(`offer-${index}`));
  t.is(withOutcomes(attemptOf(1), many, 1).outcomes?.length, 16);
});

test('an observation that repeats hundreds of reasons changes nothing', (t) => {
  const reasons = Array.from({ length: 300 }, (_, index) => short(`offer-${index}`));
  const observed = (attempt: AttemptRecord, given: readonly Shortfall[], at: number) =>
    withShortfall(withObservedOutcomes(attempt, given, at), given);
  const first = observed(attemptOf(1), reasons, 1);
  t.is(first.outcomes?.length, 16);
  t.deepEqual(observed(first, reasons, 2), first);
  const next = observed(first, [...reasons, short('another')], 3);
  t.like(next.outcomes?.at(-1), { at: 3, offer: 'another' });
  t.is(withObservedOutcomes(next, undefined, 4), next);
});

test('an observation that reports one reason in two ways changes nothing when it is repeated', (t) => {
  const reasons = [short('a', 'No machines now.'), short('a', 'The fleet lacked machines.')];
  const observed = (attempt: AttemptRecord, at: number) =>
    withShortfall(withObservedOutcomes(attempt, reasons, at), reasons);
  const first = observed(attemptOf(1), 1);
  t.deepEqual(first.outcomes, [{ at: 1, ...short('a', 'The fleet lacked machines.') }]);
  t.deepEqual(observed(first, 2), first);
});

test('the ids of the first and of the last calls are kept, each once', (t) => {
  const attempt = withCloudRequests(attemptOf(1), ['a', 'b', 'a']);
  t.deepEqual(attempt.cloud_request_ids, ['a', 'b']);
  t.is(withCloudRequests(attempt, ['b']), attempt);
  let many = attempt;
  for (let i = 0; i < 5_000; i++) many = withCloudRequests(many, [`id-${i}`]);
  t.is(many.cloud_request_ids?.length, 16);
  t.deepEqual(many.cloud_request_ids?.slice(0, 2), ['a', 'b']);
  t.is(many.cloud_request_ids?.at(-1), 'id-4999');
});
