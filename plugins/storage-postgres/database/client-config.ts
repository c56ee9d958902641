import { readFile } from 'node:fs/promises';
import type { ClientConfig } from 'pg';
import { BrokerError } from '../../../core/index.ts';
import type { PostgresOptions } from '../options.ts';
import { text } from './failures.ts';
import { times } from './times.ts';

/** How to reach a database, and its name in messages, which contains no password. */
export interface Target {
  readonly config: ClientConfig;
  readonly place: string;
}

/**
 * Reads the options. What they do not say comes from the variables of PostgreSQL: PGHOST, PGPORT, PGDATABASE, PGUSER,
 * PGPASSWORD, PGSSLMODE and others. Rejects with INVALID_CONFIGURATION for an unusable URL or certificate.
 */
export async function targetOf({ url, schema, tls }: PostgresOptions): Promise<Target> {
  const { default: pg } = await import('pg');
  const config: ClientConfig = {
    ...(url === undefined ? {} : { connectionString: url }),
    ...(tls ? { ssl: await certificates(tls) } : {}),
    fallback_application_name: 'muster',
    keepAlive: true,
    keepAliveInitialDelayMillis: times.idleInTransactionMs,
  };
  try {
    const { host, port, database = '' } = new pg.Client(config);
    return { config, place: `${database} at ${host.startsWith('/') ? host : `${host}:${port}`} (schema ${schema})` };
  } catch (error) {
    // The message of a URL that cannot be parsed may quote it, with its password.
    throw invalid(
      "'storage.url' is no URL of PostgreSQL. Write it as postgres://USER:PASSWORD@HOST:5432/DATABASE.",
      error,
    );
  }
}

async function certificates(tls: NonNullable<PostgresOptions['tls']>): Promise<NonNullable<ClientConfig['ssl']>> {
  const read = async (name: 'ca_file' | 'cert_file' | 'key_file') => {
    const file = tls[name];
    if (file === undefined) return undefined;
    return readFile(file, 'utf8').catch((error: unknown) => {
      throw invalid(`'storage.tls.${name}' cannot be read: ${text(error)}.`, error);
    });
  };
  const [ca, cert, key] = await Promise.all([read('ca_file'), read('cert_file'), read('key_file')]);
  return {
    rejectUnauthorized: tls.verify,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

const invalid = (message: string, cause: unknown) => new BrokerError('INVALID_CONFIGURATION', message, {}, { cause });
