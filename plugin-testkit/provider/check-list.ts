import type { Checks, Ending } from '../runner.ts';
import { ProviderHarness } from './harness/provider-harness.ts';
import type { Subject } from './subject.ts';

/** Registers checks, each with a world of its own. */
export interface ProviderChecks {
  readonly subject: Subject;
  readonly list: Checks;
  /** A check on a fresh world. */
  on(sentence: string, body: (harness: ProviderHarness) => Promise<void>): void;
  /** A check on a fresh world that needs an optional part of the kit; `lacks` describes the missing part. */
  when<T>(
    possible: T | undefined,
    lacks: string,
    sentence: string,
    body: (possible: T, harness: ProviderHarness) => Promise<void>,
  ): void;
}

export function providerChecks(subject: Subject, list: Checks): ProviderChecks {
  const staged = (body: (harness: ProviderHarness) => Promise<void>) => async (ending: Ending) =>
    body(await ProviderHarness.open(subject, ending));
  return {
    subject,
    list,
    on: (sentence, body) => list.check(sentence, staged(body)),
    when: (possible, lacks, sentence, body) =>
      list.when(possible, lacks, sentence, async (given, ending) => staged((harness) => body(given, harness))(ending)),
  };
}
