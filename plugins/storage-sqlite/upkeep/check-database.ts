import { existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { BrokerError, quoted, shapes, transferred, type Finding, type StorageCheck } from '../../../core/index.ts';
import { isDamage, refusal, resultCode, sqlite, text } from '../database/failures.ts';
import { invariants } from './invariants.ts';
import { wrongSums } from './wrong-sums.ts';
import { newest } from '../migrations/index.ts';
import { schemaVersion } from '../database/schema-version.ts';
import { retryWhileBusy } from '../database/busy-retry.ts';
import { marksOf } from '../transfer/marks.ts';

/** The most records that are named for each kind of finding. */
const maxReported = 20;

/**
 * Checks a whole database: whether the file is intact, and whether its records are consistent. It changes nothing and
 * blocks no other connection. Each query sees one snapshot, so that concurrent commits do not disturb it; one
 * transaction around all queries would make the log grow.
 */
export async function checkDatabase(path: string, maxWaitMs: number): Promise<StorageCheck> {
  const began = performance.now();
  const size = statSync(path, { throwIfNoEntry: false });
  if (!size) throw new BrokerError('FILE_NOT_FOUND', `There is no database ${path}.`);
  if (!size.isFile()) throw new BrokerError('INVALID_REQUEST', `${path} is no file.`);
  const log_bytes = logSize(path) ?? 0;
  const about = { path, size_bytes: size.size, log_bytes };
  const damaged = (message: string): Finding => ({ level: 'error', path: '', message });
  const done = (found: Pick<StorageCheck, 'schema_version' | 'records' | 'findings'>): StorageCheck => ({
    valid: !found.findings.some(({ level }) => level === 'error'),
    ...about,
    took_ms: Math.round(performance.now() - began),
    ...found,
  });
  const nothing = { schema_version: 0, records: {} };
  if (size.size === 0) return done({ ...nothing, findings: [damaged('the file is empty')] });
  let database: DatabaseSync | undefined;
  try {
    database = await openToRead(path);
    const opened = { database, path };
    const version = await retryWhileBusy(() => schemaVersion(opened), maxWaitMs);
    if (version === 0) return done({ ...nothing, findings: [damaged('it has no tables of muster')] });
    return done({ schema_version: version, ...checkRecords(database, version) });
  } catch (error) {
    if (isDamage(error)) return done({ ...nothing, findings: [damaged(text(error))] });
    throw refusal(error, path);
  } finally {
    database?.close();
    await tidyUp(path, log_bytes);
  }
}

/** The size of the log; undefined when there is none. */
export const logSize = (path: string): number | undefined => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size;

/**
 * Opens a database to read. Without the right to write beside it, a database that no process has open is read as
 * immutable.
 */
export async function openToRead(path: string): Promise<DatabaseSync> {
  const { DatabaseSync: Database } = await import('node:sqlite');
  try {
    const database = new Database(path, { readOnly: true, timeout: 0 });
    database.prepare('PRAGMA schema_version').get();
    return database;
  } catch (error) {
    const code = resultCode(error);
    if ((code !== sqlite.cantOpen && code !== sqlite.readOnly) || existsSync(`${path}-wal`)) throw error;
    const url = pathToFileURL(path);
    url.searchParams.set('immutable', '1');
    return new Database(url, { readOnly: true });
  }
}

/** Removes the empty log that a read-only connection leaves behind: the last connection that may write removes it. */
export async function tidyUp(path: string, log_bytes: number): Promise<void> {
  if (log_bytes > 0 || logSize(path) !== 0) return;
  const { DatabaseSync: Database } = await import('node:sqlite');
  try {
    const database = new Database(path, { timeout: 0 });
    database.prepare('PRAGMA schema_version').get();
    database.close();
  } catch {
    // An empty log is harmless.
  }
}

function checkRecords(database: DatabaseSync, version: number): Pick<StorageCheck, 'records' | 'findings'> {
  const findings: Finding[] = [...structureOf(database), ...transferred(marksOf(database))];
  const records: Record<string, number> = {};
  // The records of an older schema are checked after its update.
  if (version !== newest) {
    const message = `its schema is version ${version}, and is updated to ${newest} when muster opens it; only the file was checked`;
    return { records, findings: [...findings, { level: 'warning', path: '', message }] };
  }
  for (const { kind } of Object.values(shapes)) {
    const count = attempt(findings, () => database.prepare(`SELECT count(*) AS n FROM ${quoted(kind)}`).get()?.['n']);
    if (count !== undefined) records[kind] = Number(count);
  }
  const report = (level: Finding['level'], broken: string, find: () => readonly string[]) => {
    const found = attempt(findings, find) ?? [];
    for (const path of found.slice(0, maxReported)) findings.push({ level, path, message: broken });
    if (found.length > maxReported)
      findings.push({ level, path: '', message: `and ${found.length - maxReported} more: ${broken}` });
  };
  for (const { level, broken, sql } of invariants) report(level, broken, () => pointers(database, sql));
  report('error', 'differs from what the requests reserve', () => wrongSums(database));
  return { records, findings };
}

/** The findings of SQLite: pages, trees, indexes, references. */
function structureOf(database: DatabaseSync): Finding[] {
  const findings: Finding[] = [];
  const lines = attempt(findings, () => database.prepare(`PRAGMA integrity_check(${maxReported})`).all()) ?? [];
  const messages = lines
    .flatMap((row) => String(row['integrity_check']).split('\n'))
    .filter((line) => line !== 'ok' && line !== '');
  findings.push(...messages.map((message): Finding => ({ level: 'error', path: '', message })));
  const dangling = attempt(findings, () => database.prepare('PRAGMA foreign_key_check').all()) ?? [];
  findings.push(
    ...dangling.slice(0, maxReported).map(
      (row): Finding => ({
        level: 'error',
        path: `/${row['table']}`,
        message: `a row refers to a ${row['parent']} that does not exist`,
      }),
    ),
  );
  return findings;
}

/** In a damaged file a query may fail. The failure is a finding, and the other queries still run. */
function attempt<T>(findings: Finding[], ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (resultCode(error) === undefined) throw error;
    const message = text(error);
    if (!findings.some((finding) => finding.message === message)) findings.push({ level: 'error', path: '', message });
    return undefined;
  }
}

function pointers(database: DatabaseSync, sql: string): string[] {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return (statement.all() as unknown as readonly (readonly unknown[])[]).map(([pointer]) => String(pointer));
}
