/**
 * A process: fastify that checks the same body and stores it durably, neighbours together, in SQLite or PostgreSQL.
 * What a write could cost at least.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { serveWrites } from './serve-writes.ts';

const [place = ''] = process.argv.slice(2);
const database = place.startsWith('postgres:') ? await openPostgres(place) : openSqlite(place);

interface Row {
  readonly request_id: string;
  readonly doc: string;
}

interface Waiting extends Row {
  done(): void;
}
let waiting: Waiting[] = [];
let writing = false;

/** One transaction for all that came in a turn of the event loop, and while the last one was under way. */
function store(request_id: string, doc: string): Promise<void> {
  return new Promise((done) => {
    if (waiting.push({ request_id, doc, done }) === 1 && !writing) setImmediate(() => void flush());
  });
}

async function flush(): Promise<void> {
  writing = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    await database.insert(group);
    for (const each of group) each.done();
  }
  writing = false;
}

function openSqlite(directory: string) {
  const sqlite = new DatabaseSync(join(directory, 'baseline.db'));
  sqlite.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE request (request_id TEXT PRIMARY KEY, doc TEXT NOT NULL)',
  );
  const insert = sqlite.prepare('INSERT INTO request VALUES (?, ?)');
  return {
    insert(group: readonly Row[]): void {
      sqlite.exec('BEGIN IMMEDIATE');
      for (const each of group) insert.run(each.request_id, each.doc);
      sqlite.exec('COMMIT');
    },
  };
}

/** Each group is one statement, and so one transaction. */
async function openPostgres(url: string) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE TABLE IF NOT EXISTS bare_request (request_id text PRIMARY KEY, doc text NOT NULL)');
  const text = 'INSERT INTO bare_request SELECT * FROM unnest($1::text[], $2::text[])';
  return {
    async insert(group: readonly Row[]): Promise<void> {
      const values = [group.map(({ request_id }) => request_id), group.map(({ doc }) => doc)];
      await client.query({ name: 'insert', text, values });
    },
  };
}

await serveWrites((request_id, body) => store(request_id, JSON.stringify({ request_id, status: 'pending', ...body })));
