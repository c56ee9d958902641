import { refuseTransferred } from '../../../core/index.ts';
import type { Row, Statement } from '../connections/statement.ts';
import { newest } from '../migrations/index.ts';
import type { PostgresOptions } from '../options.ts';
import { marksOf } from '../transfer/marks.ts';
import { outdatedTables } from './migrate.ts';
import { schemaVersion } from './schema-version.ts';

type Run = (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;

/** The version of the tables, 0 when there are none. Refuses tables that a store with these options must not use. */
export async function usableVersion(
  run: Run,
  place: string,
  { schema, migrate }: Pick<PostgresOptions, 'schema' | 'migrate'>,
): Promise<number> {
  const version = await schemaVersion(run, schema, place);
  if (version > 0) refuseTransferred(place, await marksOf(run, schema));
  if (version < newest && !migrate) throw outdatedTables(version, place);
  return version;
}
