import { BrokerError, defineStorage } from '../../core/index.ts';
import { PostgresOptions } from './options.ts';

/** `storage: {type: postgres}`: a schema of a PostgreSQL database. Everything heavy loads when it is opened. */
export const postgresStorage = defineStorage({
  type: 'postgres',
  shared: true,
  lease_ms: 15_000,
  options: PostgresOptions,
  async reach(options) {
    const { reachDatabase } = await import('./connections/reach.ts');
    return reachDatabase(options);
  },
  async tryOpening(options) {
    const { tryDatabase } = await import('./database/try-database.ts');
    return tryDatabase(options);
  },
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
  optionsOf(place) {
    if (!/^postgres(?:ql)?:\/\//i.test(place)) return undefined;
    const defaults = { schema: 'muster', pool: 10, listen: true, poll_ms: 1_000, migrate: true };
    const parameter = /[?&]schema=([a-z_][a-z0-9_]{0,62})(?=&|$)/.exec(place);
    if (!parameter) return { ...defaults, url: place };
    const url = place.replace(parameter[0], parameter[0].startsWith('?') ? '?' : '');
    return { ...defaults, url: url.replace('?&', '?').replace(/\?$/, ''), schema: parameter[1] ?? '' };
  },
  async transfer(options) {
    const { SchemaEnd } = await import('./transfer/schema-end.ts');
    return SchemaEnd.of(options);
  },
  async open(options, context) {
    const { openStore } = await import('./postgres-store.ts');
    return openStore(options, context);
  },
});
