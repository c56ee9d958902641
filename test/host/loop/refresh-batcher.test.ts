import test from 'ava';
import { RefreshBatcher } from '../../../host/loop/refresh-batcher.ts';

test('refreshes are gathered, and each request is sent at most once in two seconds', async (t) => {
  const sent: (readonly string[])[] = [];
  const board = new RefreshBatcher((ids) => void sent.push(ids));
  for (const id of ['req-1', 'req-2', 'req-1']) board.refresh(id);
  await new Promise((resolve) => void setTimeout(resolve, 30));
  board.refresh('req-2');
  await new Promise((resolve) => void setTimeout(resolve, 30));
  t.deepEqual(sent, [['req-1', 'req-2']]);
});

test('the time of the last refresh is the one that the loop reported', (t) => {
  const board = new RefreshBatcher(() => undefined);
  t.is(board.refreshedAt('req-1'), undefined);
  board.refreshed(['req-1'], 7);
  t.is(board.refreshedAt('req-1'), 7);
});
