import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { bodyBudget } from '../../../../host/rest/body/body-budget.ts';
import { gatherChunks } from '../../../../host/rest/body/gather-chunks.ts';

const mebibyte = 1024 * 1024;

test('one client has 32 MiB, and what is over is free again', (t) => {
  const shareOf = bodyBudget();
  const [first, second] = [shareOf('a'), shareOf('a')];
  t.true(first.take(31 * mebibyte));
  t.false(second.take(2 * mebibyte));
  first.release();
  t.true(second.take(32 * mebibyte));
});

test('what comes of a body after its call is over takes no room', (t) => {
  const shareOf = bodyBudget();
  const first = shareOf('a');
  first.take(mebibyte);
  first.release();
  t.true(first.take(32 * mebibyte));
  t.true(shareOf('a').take(32 * mebibyte));
});

test('a body that is refused after the client left ends nothing', async (t) => {
  const source = new PassThrough();
  const gathered = gatherChunks(source, { take: () => false, release: () => undefined });
  source.write(Buffer.alloc(100));
  for (let i = 0; i < 5; i++) await turn();
  t.true(gathered.destroyed);
});
