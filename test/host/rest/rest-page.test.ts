import test from 'ava';
import { restPage } from '../../../scripts/rest-page.ts';

test('the REST reference is the one that the operations make: node scripts/rest-page.ts', async (t) => {
  const { written, made } = await restPage();
  t.is(written, made);
});

test('it has every route, refusal and template field, and no link that leads nowhere', async (t) => {
  const { made } = await restPage();
  for (const text of [
    '`POST /api/v1/machines/request`',
    '| `RATE_LIMITED` | 429 |',
    '| `percent_on_demand` |',
    '`instance_type`',
    '0 to 10',
  ])
    t.true(made.includes(text), text);
  const headings = new Set([...made.matchAll(/^#+ (.+)$/gm)].map(([, name = '']) => name.toLowerCase()));
  for (const [, anchor = ''] of made.matchAll(/\]\(#([^)]+)\)/g)) t.true(headings.has(anchor), anchor);
});
