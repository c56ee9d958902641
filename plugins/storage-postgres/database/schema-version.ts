import { BrokerError } from '../../../core/index.ts';
import { fingerprint, migrations, newest } from '../migrations/index.ts';
import type { Row, Statement } from '../connections/statement.ts';

type Run = (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;

/**
 * The version of the tables in a schema, 0 when there are none. Refuses tables of another program, of a newer version
 * that does not work with this one, or of an earlier unreleased build. `schema` is the plain name.
 */
export async function schemaVersion(run: Run, schema: string, place: string): Promise<number> {
  const [tables = []] = await run([
    { text: 'SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = $1', values: [schema] },
  ]);
  const names = new Set(tables.map(([name]) => name));
  if (names.size === 0) return 0;
  if (!names.has('migration') || !names.has('request'))
    throw invalid(`The schema has tables of another program: ${place}. Change 'storage.schema'.`);
  const [rows = []] = await run([
    { text: `SELECT version, fingerprint, works_with FROM "${schema}".migration ORDER BY version`, values: [] },
  ]);
  if (rows.length === 0)
    throw invalid(
      `The schema has tables of muster, but not their version: ${place}. The rows of its table 'migration' were removed. Restore the database, or choose another 'storage.schema' to begin empty.`,
    );
  const version = Number(rows.at(-1)?.[0] ?? 0);
  const worksWith = Math.max(0, ...rows.map((row) => Number(row[2])));
  if (version > newest && worksWith > newest)
    throw invalid(
      `The database ${place} was updated by a newer muster: its schema is version ${version} and works with muster from version ${worksWith}, this muster knows ${newest}. Install the newer muster again, or choose another 'storage.schema'.`,
    );
  if (rows.some(([step, mark]) => Number(step) <= migrations.length && Number(mark) !== fingerprint(Number(step))))
    throw invalid(
      `The database ${place} was written by a build of muster from before its release, and cannot be used by this one. Install that build again, or choose another 'storage.schema' to begin empty; muster then does not know the running machines.`,
    );
  return version;
}

const invalid = (message: string) => new BrokerError('INVALID_CONFIGURATION', message);
