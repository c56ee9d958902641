import pg from 'pg';
import type { PostgresOptions } from '../../plugins/storage-postgres/options.ts';
import { postgresServer, type PostgresServer } from './postgres-server.ts';

/** Empty schemas of a server of its own, and their time. */
export interface TestDatabase {
  readonly server: PostgresServer;
  /** Names a schema that does not exist yet. */
  place(): string;
  /** The options of a storage in a schema. */
  options(schema: string): PostgresOptions & { readonly url: string };
  /** Makes the clock of a schema stand still at this time. */
  setTime(schema: string, ms: number): Promise<void>;
  /** Ends all connections of the stores on a schema. */
  interrupt(schema: string): Promise<void>;
  /** Runs SQL as an operator would. */
  run(sql: string): Promise<readonly (readonly unknown[])[]>;
  remove(): Promise<void>;
}

/** Starts a server for the tests of a file. */
export async function testDatabase(settings: Readonly<Record<string, string>> = {}): Promise<TestDatabase> {
  const server = await postgresServer(settings);
  const pool = new pg.Pool({ connectionString: server.url, max: 2, allowExitOnIdle: true });
  // Tests stop the server.
  pool.on('error', () => {});
  let schemas = 0;
  const run = async (text: string) => {
    const { rows } = await pool.query<unknown[]>({ text, rowMode: 'array' });
    return rows;
  };
  return {
    server,
    place: () => `muster_${(schemas += 1)}`,
    options: (schema) => ({
      url: `${server.url}?application_name=${schema}`,
      schema,
      pool: 4,
      listen: true,
      poll_ms: 1_000,
      migrate: true,
    }),
    setTime: async (schema, ms) => {
      await run(
        `CREATE OR REPLACE FUNCTION ${schema}.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT ${ms}::bigint $$`,
      );
    },
    interrupt: async (schema) => {
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${schema}'`;
      // The stores may be about to connect again.
      while ((await run(end)).length === 0) await new Promise((resolve) => void setTimeout(resolve, 10));
    },
    run,
    remove: async () => {
      await pool.end();
      await server.remove();
    },
  };
}
