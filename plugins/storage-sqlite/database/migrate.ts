import type { Log } from '../../../core/index.ts';
import { refusal } from './failures.ts';
import { fingerprint, migrations, newest } from '../migrations/index.ts';
import type { Opened } from './open-database.ts';
import { applicationId } from './schema-version.ts';
import { retryWhileBusy } from './busy-retry.ts';

/**
 * Brings the schema to the newest version, in one transaction: several processes may open a fresh file at once, one of
 * them does the work.
 */
export async function migrate({ database, path }: Opened, wait: number, log: Log): Promise<void> {
  const version = () => Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  try {
    if ((await retryWhileBusy(version, wait)) === newest) return;
    await retryWhileBusy(() => database.exec('BEGIN IMMEDIATE'), wait);
    // Read again under the lock: another process may have been first.
    const before = version();
    for (const step of migrations.slice(before)) database.exec(step);
    const mark = `INSERT INTO counter VALUES ('schema', '', '', ${fingerprint(newest)}) ON CONFLICT DO UPDATE SET n = excluded.n`;
    database.exec(`${mark}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${newest}; COMMIT`);
    if (before < newest) log.info({ path, from: before, to: newest }, 'database schema brought up to date');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw refusal(error, path);
  }
}
