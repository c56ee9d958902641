import { resolve } from 'node:path';
import { Type } from 'typebox';
import { BrokerError, defineStorage, refuseTransferred } from '../../core/index.ts';
import { isDamage, refusal } from './database/failures.ts';
import { damagedAtStart, probeAtStartup } from './database/startup-probe.ts';
import { migrate } from './database/migrate.ts';
import { newest } from './migrations/index.ts';
import { openDatabase } from './database/open-database.ts';
import { schemaVersion } from './database/schema-version.ts';
import { retryWhileBusy } from './database/busy-retry.ts';
import { SqliteStore } from './sqlite-store.ts';
import { marksOf } from './transfer/marks.ts';

const defaultWait = 5_000;

/** `storage: {type: sqlite}`: a file in WAL mode with full durability. */
export const sqliteStorage = defineStorage({
  type: 'sqlite',
  shared: true,
  options: Type.Object({
    path: Type.String({
      minLength: 1,
      default: './data/muster.db',
      description: 'The database file. A missing file or directory is created, readable only by its owner.',
    }),
    busy_timeout_ms: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 60_000,
        default: defaultWait,
        description: 'Milliseconds that a write waits, without blocking, while another thread or process writes.',
      }),
    ),
  }),
  async check({ path, busy_timeout_ms = defaultWait }, file) {
    const { checkDatabase } = await import('./upkeep/check-database.ts');
    return checkDatabase(resolve(file ?? path), busy_timeout_ms);
  },
  async backup({ path, busy_timeout_ms = defaultWait }, file, replace) {
    const { backupDatabase } = await import('./upkeep/backup-database.ts');
    return backupDatabase(resolve(path), file, replace, busy_timeout_ms);
  },
  async migrate({ path, busy_timeout_ms = defaultWait }, { log }) {
    const opened = await openDatabase(path, busy_timeout_ms);
    try {
      const from = await retryWhileBusy(() => schemaVersion(opened), busy_timeout_ms);
      await migrate(opened, busy_timeout_ms, log);
      return { path: opened.path, from, to: newest };
    } finally {
      opened.database.close();
    }
  },
  optionsOf: (place) => (/^[a-z][a-z0-9+.-]+:\/\//i.test(place) ? undefined : { path: place }),
  async transfer({ path, busy_timeout_ms = defaultWait }) {
    const { FileEnd } = await import('./transfer/file-end.ts');
    return new FileEnd(path, busy_timeout_ms);
  },
  async open(options, context) {
    const wait = options.busy_timeout_ms ?? defaultWait;
    const opened = await openDatabase(options.path, wait);
    try {
      await retryWhileBusy(() => refuseTransferred(opened.path, marksOf(opened.database)), wait);
      await migrate(opened, wait, context.log);
      await retryWhileBusy(() => probeAtStartup(opened.database), wait);
      return await retryWhileBusy(() => new SqliteStore(opened, wait, context), wait);
    } catch (error) {
      opened.database.close();
      throw isDamage(error)
        ? new BrokerError('UNAVAILABLE', damagedAtStart(opened.path, error), {}, { cause: error })
        : refusal(error, opened.path);
    }
  },
});
