import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { operations } from '../../../core/operations/registry.ts';
import { mcpPage } from '../../../scripts/mcp-page.ts';

test('the MCP reference is the one that the operations make: node scripts/mcp-page.ts', (t) => {
  const { written, made } = mcpPage();
  t.is(written, made);
  for (const { name } of operations) t.true(made.includes(`### ${name}\n`), name);
});

test('the guide names no tool and no option that is not there', (t) => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/mcp.md'), 'utf8');
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
