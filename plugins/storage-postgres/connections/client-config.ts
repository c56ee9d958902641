import type { ClientConfig } from 'pg';
import { BrokerError } from '../../../core/index.ts';
import type { PostgresOptions } from '../options.ts';
import { times } from '../database/times.ts';
import { encryption } from './tls.ts';

/** How to reach a database, and its name in messages, which contains no password. */
export interface Target {
  readonly config: ClientConfig;
  readonly place: string;
}

/**
 * Reads the options. What they do not say comes from the variables of PostgreSQL: PGHOST, PGPORT, PGDATABASE, PGUSER,
 * PGPASSWORD, PGSSLMODE and others. Rejects with INVALID_CONFIGURATION for an unusable URL or certificate.
 */
export async function targetOf({ url: given, schema, tls }: PostgresOptions): Promise<Target> {
  const { default: pg } = await import('pg');
  const named = given === undefined ? undefined : schemaIn(given);
  if (named !== undefined && named !== schema)
    throw invalid(
      `'storage.url' names the schema '${named}', and 'storage.schema' (MUSTER_STORAGE_SCHEMA) is '${schema}'. Set 'storage.schema' to the schema, or remove it from the URL.`,
    );
  const { url, ssl } = await encryption(given, tls);
  const config: ClientConfig = {
    ...(url === undefined ? {} : { connectionString: url }),
    ssl,
    fallback_application_name: 'muster',
    keepAlive: true,
    keepAliveInitialDelayMillis: times.idleInTransactionMs,
  };
  try {
    const { host, port, database = '' } = new pg.Client(config);
    return {
      config,
      place: `${database} at ${host.startsWith('/') ? host : `${host}:${port}`} (schema ${schema})`,
    };
  } catch (error) {
    // The message of a URL that cannot be parsed may quote it, with its password.
    throw invalid(
      "'storage.url' is no URL of PostgreSQL. Write it as postgres://USER:PASSWORD@HOST:5432/DATABASE, with special characters of the password percent-encoded, such as %2F for a slash.",
      error,
    );
  }
}

/** The parameter `schema` of a URL, which only muster knows. */
const schemaIn = (url: string): string | undefined => /[?&]schema=([^&]*)/.exec(url)?.[1];

const invalid = (message: string, cause?: unknown) => new BrokerError('INVALID_CONFIGURATION', message, {}, { cause });
