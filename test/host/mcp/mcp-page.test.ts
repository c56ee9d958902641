import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { operations } from '../../../core/operations/registry.ts';

const docs = join(import.meta.dirname, '../../../docs');

test('the MCP reference has every operation', (t) => {
  const page = readFileSync(join(docs, 'reference/mcp.md'), 'utf8');
  for (const { name } of operations) t.true(page.includes(`### ${name}\n`), name);
});

test('the guide names no tool and no option that is not there', (t) => {
  const guide = readFileSync(join(docs, 'guides/mcp.md'), 'utf8');
  const known = new Set<string>(operations.map(({ name }) => name));
  const verbs = [...new Set(operations.map(({ name }) => name.split('_')[0]))].join('|');
  const named = [...guide.matchAll(new RegExp(`\`((?:${verbs})_[a-z_]+)\``, 'g'))].map(([, name = '']) => name);
  t.true(named.length > 5);
  t.deepEqual(
    named.filter((name) => !known.has(name)),
    [],
  );
  for (const snippet of [...guide.matchAll(/```json\n([^]*?)```/g)].map(([, text = '']) => text))
    t.notThrows(() => JSON.parse(snippet), snippet);
});
