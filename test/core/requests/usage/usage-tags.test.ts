import test from 'ava';
import { UsageTagging } from '../../../../core/model/usage/usage-tags.ts';
import { usageChange, usageOf } from '../../../../core/model/usage/usage.ts';
import { fieldsOf } from '../../../../core/requests/usage/usage-query.ts';
import { aMachine } from '../../../../plugin-testkit/storage/records.ts';

const day = 86_400_000;

test('of the tags of a request those that are configured are kept, null where there is none', (t) => {
  const tagging = new UsageTagging(['team', 'constructor', 'a']);
  t.deepEqual(
    tagging.of(() => ({ team: 'blue', other: 'x' }), 0),
    { a: null, constructor: null, team: 'blue' },
  );
  t.is(
    new UsageTagging([]).of(() => t.fail() as never, 0),
    undefined,
  );
});

test('at most a thousand combinations of values are kept on a day, and none of more than a thousand bytes', (t) => {
  const tagging = new UsageTagging(['job']);
  const kept = (job: string, now: number) => tagging.of(() => ({ job }), now) !== undefined;
  t.false(kept('ü'.repeat(500), 0));
  t.true(kept('x'.repeat(900), 0));
  for (let i = 1; i < 1_000; i += 1) t.true(kept(`${i}`, i));
  t.false(kept('one more', day - 1));
  t.true(kept('7', day - 1));
  t.true(kept('one more', day));
});

test('the use of machines with tags is a sum of its own, which is subtracted again when a machine lives after all', (t) => {
  const machine = aMachine('m', { created_at: 0, gone_at: 5_000, usage_tags: { team: 'blue' } });
  const [row] = usageOf(machine, day);
  t.deepEqual(fieldsOf(row?.kind ?? '').tags, { team: 'blue' });
  t.deepEqual(fieldsOf(usageOf(aMachine('m'), day)[0]?.kind ?? '').tags, {});
  const { gone_at: _gone, ...lives } = machine;
  const [less] = usageChange(machine, lives);
  t.is(less?.kind, row?.kind);
  t.is(less?.amounts.machine_ms, -5_000);
});
