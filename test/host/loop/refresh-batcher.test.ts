import test from 'ava';
import { RefreshBatcher } from '../../../host/loop/refresh-batcher.ts';

test('looks are gathered, and asked for at most once in two seconds', async (t) => {
  const sent: (readonly string[])[] = [];
  const board = new RefreshBatcher((ids) => void sent.push(ids));
  for (const id of ['req-1', 'req-2', 'req-1']) board.look(id);
  await new Promise((resolve) => void setTimeout(resolve, 30));
  board.look('req-2');
  await new Promise((resolve) => void setTimeout(resolve, 30));
  t.deepEqual(sent, [['req-1', 'req-2']]);
});

test('the time of the last look is what the loop told', (t) => {
  const board = new RefreshBatcher(() => undefined);
  t.is(board.lookedAt('req-1'), undefined);
  board.looked(['req-1'], 7);
  t.is(board.lookedAt('req-1'), 7);
});
