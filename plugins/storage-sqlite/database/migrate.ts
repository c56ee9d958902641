import type { Log } from '../../../core/index.ts';
import { refusal } from './failures.ts';
import { fingerprint, migrations, newest } from '../migrations/index.ts';
import type { Opened } from './open-database.ts';
import { applicationId } from './schema-version.ts';
import { retryWhileBusy } from './busy-retry.ts';

/**
 * Updates the schema to the newest version, in one transaction: several processes may open a new file at once, and one
 * of them updates it.
 */
export async function migrate({ database, path }: Opened, maxWaitMs: number, log: Log): Promise<void> {
  const version = () => Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  try {
    if ((await retryWhileBusy(version, maxWaitMs)) === newest) return;
    await retryWhileBusy(() => database.exec('BEGIN IMMEDIATE'), maxWaitMs);
    // Read again under the lock: another process may have updated it.
    const before = version();
    for (const step of migrations.slice(before)) database.exec(step);
    const mark = `INSERT INTO counter VALUES ('schema', '', '', ${fingerprint(newest)}) ON CONFLICT DO UPDATE SET n = excluded.n`;
    database.exec(`${mark}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${newest}; COMMIT`);
    if (before < newest) log.info({ path, from: before, to: newest }, 'Database schema updated.');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw refusal(error, path);
  }
}
