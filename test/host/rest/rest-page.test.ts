import { readFileSync } from 'node:fs';
import test from 'ava';

test('the REST reference has every route, refusal and template field, and no link that leads nowhere', (t) => {
  const made = readFileSync(new URL('../../../docs/reference/rest.md', import.meta.url), 'utf8');
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
