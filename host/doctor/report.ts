import type { CheckLevel, CheckResult } from '../../core/contract/provider/provider-check.ts';

/** A check of this host. `Facts`: what it looks at. */
export interface HostCheck<Facts> {
  readonly name: string;
  /** What happens to requests when it fails. */
  readonly why: string;
  /** What a person does about it. */
  readonly remedy: string;
  run(facts: Facts): Promise<readonly CheckResult[]> | readonly CheckResult[];
}

/** One line of the report. */
export interface Diagnosis {
  readonly check: string;
  /** null: the check is about this host. */
  readonly instance: string | null;
  readonly level: CheckLevel;
  readonly message: string;
  readonly why: string;
  /** null: nothing is to be done. */
  readonly remedy: string | null;
}

export interface Report {
  /** Whether there is no error. */
  readonly ok: boolean;
  readonly errors: number;
  readonly warnings: number;
  readonly checks: readonly Diagnosis[];
}

/** The lines of a check with its results. */
export const diagnoses = (
  { name, why, remedy }: Pick<HostCheck<never>, 'name' | 'why' | 'remedy'>,
  instance: string | null,
  results: readonly CheckResult[],
): readonly Diagnosis[] =>
  results.map(({ level, message, remedy: own }) => ({
    check: name,
    instance,
    level,
    message,
    why,
    remedy: level === 'ok' ? null : (own ?? remedy),
  }));

export function reportOf(checks: readonly Diagnosis[]): Report {
  const count = (level: CheckLevel) => checks.filter((each) => each.level === level).length;
  return { ok: count('error') === 0, errors: count('error'), warnings: count('warning'), checks };
}
