import test from 'ava';
import { cliPage } from '../../../scripts/cli-page.ts';

test('the page of all commands is as it would be made anew (node scripts/cli-page.ts writes it)', async (t) => {
  const { written, made } = await cliPage();
  t.is(written, made);
});
