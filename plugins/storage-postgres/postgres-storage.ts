import { BrokerError, defineStorage } from '../../core/index.ts';
import { PostgresOptions } from './options.ts';

/** `storage: {type: postgres}`: a schema of a PostgreSQL database. Everything heavy loads when it is opened. */
export const postgresStorage = defineStorage({
  type: 'postgres',
  shared: true,
  lease_ms: 15_000,
  options: PostgresOptions,
  async check(options, file) {
    if (file !== undefined)
      throw new BrokerError('INVALID_REQUEST', 'A PostgreSQL storage is checked where it is: name no file.');
    const { checkDatabase } = await import('./upkeep/check-database.ts');
    return checkDatabase(options);
  },
  async migrate(options, { log }) {
    const { updateTables } = await import('./upkeep/update-tables.ts');
    return updateTables(options, log);
  },
  async open(options, context) {
    const { openStore } = await import('./postgres-store.ts');
    return openStore(options, context);
  },
});
