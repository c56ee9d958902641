import { newest } from '../../../plugins/storage-postgres/migrations/index.ts';
import type { TestDatabase } from '../../support/postgres-database.ts';

/** Updates a schema as a newer muster does that brokers of this version can work beside: it only adds. */
export async function updateAsNewer(database: TestDatabase, schema: string): Promise<void> {
  for (const table of ['request', 'machine', 'attempt', 'broker', 'claim'])
    await database.run(`ALTER TABLE ${schema}.${table} ADD COLUMN of_a_newer_version bigint NOT NULL DEFAULT 0`);
  await database.run(
    `INSERT INTO ${schema}.migration (version, fingerprint, works_with) VALUES (${newest + 1}, 1, ${newest})`,
  );
}
