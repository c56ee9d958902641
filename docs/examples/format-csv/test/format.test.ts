import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testScheduler } from 'muster/plugin-testkit';
import { csv } from '../csv.ts';
import plugin from '../index.ts';

testScheduler({ test, plugin: () => plugin });

test('a table has its names first, and every record ends in CRLF', () => {
  const columns = { name: (row: { name: string }) => row.name, size: () => 3, nothing: () => undefined };
  assert.equal(csv(columns, []), 'name,size,nothing\r\n');
  assert.equal(csv(columns, [{ name: 'a' }, { name: 'b' }]), 'name,size,nothing\r\na,3,\r\nb,3,\r\n');
});

test('a comma, a quote or a line break puts a field in quotes, and a quote within is doubled', () => {
  const written = (name: string) =>
    csv({ name: (row: { name: string }) => row.name }, [{ name }]).slice('name\r\n'.length, -2);
  assert.equal(written('plain text'), 'plain text');
  assert.equal(written('one, two'), '"one, two"');
  assert.equal(written('say "hello"'), '"say ""hello"""');
  assert.equal(written('first\nsecond'), '"first\nsecond"');
  assert.equal(written('first\rsecond'), '"first\rsecond"');
});
