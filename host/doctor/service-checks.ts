import type { BrokerService, ServiceCheck } from '../../core/contract/service/service.ts';
import { diagnoses, type Diagnosis } from './report.ts';

/** A check that does not end holds up no doctor. */
const mostMs = 30_000;

/** The checks of the services that have a section in the configuration. Rejects with nothing, in bounded time. */
export async function serviceChecks(
  offered: readonly BrokerService<any>[],
  sections: Readonly<Record<string, unknown>>,
): Promise<readonly Diagnosis[]> {
  const each = offered.flatMap(({ name, checks = [] }) =>
    Object.hasOwn(sections, name) ? checks.map((check) => linesOf(check, sections[name])) : [],
  );
  return (await Promise.all(each)).flat();
}

async function linesOf(check: ServiceCheck, settings: unknown): Promise<readonly Diagnosis[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${mostMs / 1000} s`)), mostMs);
  });
  try {
    return diagnoses(check, null, await Promise.race([check.run(settings), late]));
  } catch (error) {
    const message = `The check could not be made: ${error instanceof Error ? error.message : String(error)}`;
    return diagnoses(check, null, [{ level: 'warning', message }]);
  } finally {
    clearTimeout(timer);
  }
}
