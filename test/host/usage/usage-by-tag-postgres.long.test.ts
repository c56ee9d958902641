import test from 'ava';
import { testDatabase } from '../../support/postgres-database.ts';
import { usedByTag } from './used-by-tag.ts';

test('use is summed up by the configured tags, and stays so without the records (postgres)', async (t) => {
  const database = await testDatabase();
  t.teardown(() => database.remove());
  await usedByTag(t, {
    configuration: {
      plugins: ['cloud', 'cloud-runinstances', 'default-format', 'storage-postgres'],
      storage: { type: 'postgres', url: database.server.url, schema: database.place() },
    },
  });
});
