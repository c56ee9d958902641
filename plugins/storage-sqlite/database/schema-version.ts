import type { DatabaseSync } from 'node:sqlite';
import { isOfTheDatabase } from './failures.ts';
import { BrokerError } from '../../../core/index.ts';
import { fingerprint, newest } from '../migrations/index.ts';

/** 'mstr': marks a file as a database of muster. */
export const applicationId = 0x6d737472;

/**
 * The version of the schema, 0 when there is none yet. Refuses a database of another program, of a newer version, or
 * of an earlier unreleased build.
 */
export function schemaVersion(opened: { readonly database: DatabaseSync; readonly path: string }): number {
  const { database } = opened;
  if (database.isTransaction) return versionIn(opened);
  // One snapshot for all reads: another process may create the schema between two of them.
  database.exec('BEGIN');
  try {
    return versionIn(opened);
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

function versionIn({ database, path }: { readonly database: DatabaseSync; readonly path: string }): number {
  const number = (pragma: string) => Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
  const version = number('user_version');
  const owner = number('application_id');
  const tables = database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n'];
  if (owner !== applicationId && (owner !== 0 || tables !== 0)) {
    throw invalid(`${path} is a database of another program. Change 'storage.path'.`);
  }
  if (version > newest) {
    throw invalid(
      `The database ${path} was written by a newer muster: its schema is version ${version}, this muster knows versions up to ${newest}. Install the newer muster again, or choose another 'storage.path'.`,
      { schema_version: version },
    );
  }
  if (version > 0 && schemaMark(database) !== fingerprint(version)) throw invalid(earlierBuildMessage(path));
  return version;
}

const invalid = (message: string, details: { readonly schema_version?: number } = {}) =>
  new BrokerError('INVALID_CONFIGURATION', message, details);

/** The fingerprint of the migrations that created the schema; undefined when the database has none. */
function schemaMark(database: DatabaseSync): unknown {
  try {
    return database.prepare("SELECT n FROM counter WHERE of = 'schema'").get()?.['n'];
  } catch (error) {
    if (isOfTheDatabase(error)) throw error;
    return undefined;
  }
}

const earlierBuildMessage = (path: string): string =>
  `The database ${path} was written by a build of muster from before its release, and cannot be used by this one. Install that build again, or move the file away to begin empty; muster then does not know the running machines.`;
