import { isFault } from '../../core/contract/fault.ts';
import type { CheckedTemplate } from '../../core/contract/provider/provider-check.ts';
import type { Connected, SessionPool } from '../../core/providers/guard/session-pool.ts';
import { diagnoses, type Diagnosis } from './report.ts';

/** The time for the connection. Each check has a time-out of its own. */
const connectMs = 20_000;

const connection = {
  name: 'connection',
  why: 'muster calls the provider for each request; an instance that does not answer is not selected.',
  remedy: 'Correct the configuration of the instance, its credentials, or the network to the provider.',
} as const;

/** Checks one provider instance with the templates that it may serve. Rejects with nothing, and takes bounded time. */
export async function instanceChecks(
  pool: SessionPool,
  instance: string,
  templates: readonly CheckedTemplate[],
  signal: AbortSignal,
): Promise<readonly Diagnosis[]> {
  let connected: Connected;
  try {
    connected = await answering(pool, instance, signal);
  } catch (error) {
    const message = `${messageOf(error)} Nothing else of this instance was checked.`;
    return diagnoses(connection, instance, [{ level: 'error', message }]);
  }
  const found = [...diagnoses(connection, instance, [{ level: 'ok', message: `'${instance}' answers.` }])];
  for (const check of connected.type.checks) {
    try {
      found.push(...diagnoses(check, instance, await check.run(templates, { signal })));
    } catch (error) {
      const message = `The check could not be made: ${messageOf(error)}`;
      const level = isFault(error) && error.kind === 'credentials' ? 'error' : 'warning';
      found.push(
        ...diagnoses(check, instance, [{ level, message, remedy: 'Mend that, and run muster doctor again.' }]),
      );
    }
  }
  return found;
}

async function answering(pool: SessionPool, instance: string, signal: AbortSignal): Promise<Connected> {
  const ended = Promise.withResolvers<never>();
  const bound = AbortSignal.any([signal, AbortSignal.timeout(connectMs)]);
  const end = () => ended.reject(new Error(`'${instance}' did not answer within ${connectMs / 1000} s.`));
  bound.addEventListener('abort', end, { once: true });
  try {
    const connected = await Promise.race([pool.connectForCheck(instance), ended.promise]);
    await Promise.race([connected.type.check({ signal: bound }), ended.promise]);
    return connected;
  } finally {
    bound.removeEventListener('abort', end);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
