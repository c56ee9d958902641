import type { Log, StorageMigration } from '../../../core/index.ts';
import { targetOf } from '../connections/client-config.ts';
import { refusal } from '../database/failures.ts';
import { migrate } from '../database/migrate.ts';
import { newest } from '../migrations/index.ts';
import type { PostgresOptions } from '../options.ts';

/** Updates the tables ahead of a start. */
export async function updateTables(options: PostgresOptions, log: Log): Promise<StorageMigration> {
  const target = await targetOf(options);
  try {
    const from = await migrate(target, options.schema, log);
    return { path: target.place, from, to: Math.max(from, newest) };
  } catch (error) {
    throw refusal(error, target.place);
  }
}
