import type { DatabaseSync } from 'node:sqlite';
import { isOfTheDatabase } from './failures.ts';

/** By which steps the schema was made; undefined in databases that do not say it. */
export function schemaMark(database: DatabaseSync): unknown {
  try {
    return database.prepare("SELECT n FROM counter WHERE of = 'schema'").get()?.['n'];
  } catch (error) {
    if (isOfTheDatabase(error)) throw error;
    return undefined;
  }
}

export const ofAnEarlierBuild = (path: string): string =>
  `The database ${path} was written by a build of muster from before its release, and cannot be used by this one. Install that build again, or move the file away to begin empty; machines that live are not known then.`;
