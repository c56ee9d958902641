import type { DatabaseSync } from 'node:sqlite';
import {
  quoted,
  shapes,
  storedColumns,
  storedValues,
  type Kind,
  type Shape,
  type StorageSnapshot,
  type TransferMark,
} from '../../../core/index.ts';
import { applicationId } from '../database/schema-version.ts';
import { fingerprint, migrations, newest } from '../migrations/index.ts';
import { mark } from './marks.ts';

/**
 * Writes a snapshot into an empty file, which no other process uses. It is complete when this returns, and not yet
 * durable: a file that was written in part is discarded.
 */
export async function writeSnapshot(
  database: DatabaseSync,
  snapshot: StorageSnapshot,
  given: Pick<TransferMark, 'copy_id' | 'place'> | undefined,
): Promise<void> {
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000; BEGIN');
  for (const step of migrations) database.exec(step);
  database.prepare("INSERT INTO counter VALUES ('schema', '', '', ?)").run(fingerprint(newest));
  for (const shape of Object.values(shapes)) await writeRecords(database, shape, snapshot);
  const claim = database.prepare('INSERT INTO claim (request_id, epoch, term) VALUES (?, ?, 0)');
  // Their leases are not here: the next broker takes the claims over.
  for await (const page of snapshot.epochs('claim')) for (const each of page) claim.run(...each);
  const job = database.prepare('INSERT INTO job (job, epoch, term) VALUES (?, ?, NULL)');
  for await (const page of snapshot.epochs('job')) for (const each of page) job.run(...each);
  writeNumbers(database, snapshot);
  // Triggers have counted the machines.
  database.exec("INSERT INTO counter SELECT 'request', kind, status, count(*) FROM request GROUP BY kind, status");
  if (given) mark(database, 'from', given);
  database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${newest}; COMMIT`);
}

async function writeRecords(database: DatabaseSync, shape: Shape, snapshot: StorageSnapshot): Promise<void> {
  const columns = storedColumns(shape);
  const insert = database.prepare(
    `INSERT INTO ${quoted(shape.kind)} (${columns.map(quoted).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  for await (const page of snapshot.records(shape.kind))
    for (const record of page) insert.run(...storedValues(shape, record));
}

function writeNumbers(database: DatabaseSync, { numbers }: StorageSnapshot): void {
  const change = database.prepare('UPDATE mark SET changes = ? WHERE kind = ?');
  for (const [kind, changes] of Object.entries(numbers.changes) as [Kind, number][]) change.run(changes, kind);
  database.exec("DELETE FROM sqlite_sequence WHERE name = 'event'");
  database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('event', ?)").run(numbers.event);
  if (numbers.last_claim_at !== null)
    database.prepare("INSERT INTO counter VALUES ('clock', '', '', ?)").run(numbers.last_claim_at);
}
