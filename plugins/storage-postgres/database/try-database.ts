import { targetOf } from '../connections/client-config.ts';
import { Connection } from '../connections/connection.ts';
import type { PostgresOptions } from '../options.ts';
import { refusal } from './failures.ts';
import { usableVersion } from './usable-version.ts';

/** Rejects as a store would that is opened with these options. Changes nothing. */
export async function tryDatabase(options: PostgresOptions): Promise<void> {
  const { config, place } = await targetOf(options);
  const connection = await Connection.open(config);
  try {
    await usableVersion(connection.run.bind(connection), place, options);
  } catch (error) {
    throw refusal(error, place);
  } finally {
    await connection.close();
  }
}
