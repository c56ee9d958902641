import { BrokerError, quoted, type Log } from '../../../core/index.ts';
import { fingerprint, migrations, newest } from '../migrations/index.ts';
import { beginning } from './beginning.ts';
import { lockNumber } from './locks.ts';
import type { Target } from '../connections/client-config.ts';
import { Connection } from '../connections/connection.ts';
import { schemaVersion } from './schema-version.ts';

/** The longest update of the tables, and the longest wait for another broker that updates them. */
const maxMs = 600_000;

/**
 * Updates the tables to the newest version, in one transaction under a lock: of several brokers that start at once,
 * one updates. Returns the version before.
 */
export async function migrate({ config, place }: Target, schema: string, log: Log): Promise<number> {
  const connection = await Connection.open(config, { silentMs: maxMs });
  const run = connection.run.bind(connection);
  const name = quoted(schema);
  try {
    await run([
      { text: beginning },
      { text: `SET LOCAL statement_timeout = ${maxMs}` },
      { text: 'SET LOCAL lock_timeout = 0' },
      { text: 'SELECT pg_advisory_xact_lock($1::bigint)', values: [lockNumber(schema, 'migration')] },
    ]);
    // Read under the lock: another broker may have updated the tables.
    const before = await schemaVersion(run, schema, place);
    // Also a user who must not create schemas may fill one that was made for it.
    const [present = []] = await run([{ text: 'SELECT FROM pg_namespace WHERE nspname = $1', values: [schema] }]);
    if (present.length === 0) await run([{ text: `CREATE SCHEMA ${name}` }]);
    for (let version = before + 1; version <= newest; version += 1) await run(step(version, name));
    await run([{ text: 'COMMIT' }]);
    if (before < newest) log.info({ place, from: before, to: newest }, 'Database schema updated.');
    return before;
  } finally {
    // The end of the connection undoes what was not committed.
    connection.destroy();
  }
}

function step(version: number, schema: string) {
  const { sql, worksWith = version } = migrations[version - 1] ?? {};
  return [
    ...(version === 1
      ? [
          {
            text: `CREATE TABLE ${schema}.migration (version bigint PRIMARY KEY, fingerprint bigint NOT NULL, works_with bigint NOT NULL, at timestamptz NOT NULL DEFAULT now())`,
          },
        ]
      : []),
    { text: sql?.(schema) ?? '' },
    {
      text: `INSERT INTO ${schema}.migration (version, fingerprint, works_with) VALUES ($1, $2, $3)`,
      values: [version, fingerprint(version), worksWith],
    },
  ];
}

/** The refusal of tables that are not up to date, where a start must not update them. */
export const outdatedTables = (version: number, place: string): BrokerError =>
  new BrokerError(
    'INVALID_CONFIGURATION',
    `The tables of the database ${place} have version ${version}, this muster needs ${newest}, and 'storage.migrate' is false. Run \`muster storage migrate\`.`,
  );
