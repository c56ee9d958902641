import type { Checks, Ending } from '../runner.ts';
import { Stage } from './stage.ts';
import type { Subject } from './subject.ts';

/** Registers checks that have a world of their own. */
export interface ProviderChecks {
  readonly subject: Subject;
  readonly list: Checks;
  /** A check on a fresh world. */
  on(sentence: string, body: (stage: Stage) => Promise<void>): void;
  /** A check on a fresh world that needs something of the kit's author: `lacks` says what. */
  when<T>(possible: T | undefined, lacks: string, sentence: string, body: (possible: T, stage: Stage) => Promise<void>): void;
}

export function providerChecks(subject: Subject, list: Checks): ProviderChecks {
  const staged = (body: (stage: Stage) => Promise<void>) => async (ending: Ending) => body(await Stage.open(subject, ending));
  return {
    subject,
    list,
    on: (sentence, body) => list.check(sentence, staged(body)),
    when: (possible, lacks, sentence, body) =>
      list.when(possible, lacks, sentence, async (given, ending) => staged((stage) => body(given, stage))(ending)),
  };
}
