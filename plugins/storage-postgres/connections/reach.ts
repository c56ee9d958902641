import type { PostgresOptions } from '../options.ts';
import { targetOf } from './client-config.ts';
import { Connection } from './connection.ts';
import { isAbsence, refusal } from '../database/failures.ts';

/** Rejects with UNAVAILABLE while no connection is accepted that may be accepted later. */
export async function reachDatabase(options: PostgresOptions): Promise<void> {
  const { config, place } = await targetOf(options);
  const connection = await Connection.open(config);
  try {
    await connection.run([{ text: 'SELECT 1' }]);
  } catch (error) {
    if (isAbsence(error)) throw refusal(error, place);
  } finally {
    await connection.close();
  }
}
