import type { TestDatabase } from '../../support/postgres-database.ts';
import type { FastClock } from '../campaign/fast-clock.ts';

/** Lets the time of a schema pass as fast as that of the brokers on it. */
export async function fastTime(database: TestDatabase, schema: string, { from, times }: FastClock): Promise<void> {
  const now = 'extract(epoch FROM clock_timestamp()) * 1000';
  await database.run(
    `CREATE OR REPLACE FUNCTION ${schema}.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT (${from} + (${now} - ${from}) * ${times})::bigint $$`,
  );
}
