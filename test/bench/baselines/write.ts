/**
 * A process: fastify that checks the same body and stores it durably, neighbours together. What a write could cost at
 * least.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { fastify } from 'fastify';
import { Type } from 'typebox';

const Body = Type.Object(
  {
    template_id: Type.String({ minLength: 1, maxLength: 128 }),
    machine_count: Type.Integer({ minimum: 1, maximum: 10_000 }),
    additional_data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { additionalProperties: false },
);

const [directory = ''] = process.argv.slice(2);
const database = new DatabaseSync(join(directory, 'baseline.db'));
database.exec(
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE request (request_id TEXT PRIMARY KEY, doc TEXT NOT NULL)',
);
const insert = database.prepare('INSERT INTO request VALUES (?, ?)');

interface Waiting {
  readonly request_id: string;
  readonly doc: string;
  done(): void;
}
let waiting: Waiting[] = [];

/** One transaction for all that came in a turn of the event loop. */
function store(request_id: string, doc: string): Promise<void> {
  return new Promise((done) => {
    if (waiting.push({ request_id, doc, done }) === 1) setImmediate(flush);
  });
}

function flush(): void {
  const group = waiting;
  waiting = [];
  database.exec('BEGIN IMMEDIATE');
  for (const each of group) insert.run(each.request_id, each.doc);
  database.exec('COMMIT');
  for (const each of group) each.done();
}

const app = fastify({ logger: false }).withTypeProvider<TypeBoxTypeProvider>();
app.post('/api/v1/machines/request', { schema: { body: Body } }, async ({ body }) => {
  const { template_id, machine_count } = body;
  const request_id = `req-${randomUUID()}`;
  await store(request_id, JSON.stringify({ request_id, status: 'pending', ...body }));
  return {
    request_id,
    template_id,
    machine_count,
    status: 'pending',
    message: `${machine_count} machine of template '${template_id}' requested.`,
  };
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('message', () => process.send?.({ url }));
process.on('disconnect', () => process.exit());
