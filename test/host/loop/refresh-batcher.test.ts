import test from 'ava';
import { RefreshBatcher } from '../../../host/loop/refresh-batcher.ts';
import { FakeClock } from '../../support/fake-clock.ts';

test('refreshes are gathered, and each request is sent at most once in two seconds', async (t) => {
  const sent: (readonly string[])[] = [];
  const clock = new FakeClock();
  const board = new RefreshBatcher((ids) => void sent.push(ids), clock);
  for (const id of ['req-1', 'req-2', 'req-1']) board.refresh(id);
  t.deepEqual(sent, []);
  await clock.advance(30);
  board.refresh('req-2');
  await clock.advance(1_900);
  t.deepEqual(sent, [['req-1', 'req-2']]);
  await clock.advance(100);
  board.refresh('req-2');
  await clock.advance(30);
  t.deepEqual(sent, [['req-1', 'req-2'], ['req-2']]);
});

test('the time of the last refresh is the one that the loop reported', (t) => {
  const board = new RefreshBatcher(() => undefined, new FakeClock());
  t.is(board.refreshedAt('req-1'), undefined);
  board.refreshed(['req-1'], 7);
  t.is(board.refreshedAt('req-1'), 7);
});
