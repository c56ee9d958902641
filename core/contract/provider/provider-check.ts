import { Type, type Static } from 'typebox';
import type { Template } from '../../model/template.ts';
import type { Call } from './call.ts';
import type { ProviderApi } from './provider-api.ts';

const levels = ['ok', 'warning', 'error'] as const;
export type CheckLevel = (typeof levels)[number];
export const checkLevels: readonly CheckLevel[] = levels;

/** One result of a check of `muster doctor`. */
export const CheckResult = Type.Object({
  level: Type.Unsafe<CheckLevel>(
    Type.Enum([...levels], {
      description: '`error`: it stops requests. `warning`: it may stop some, or the check could not be made.',
    }),
  ),
  message: Type.String({ minLength: 1, maxLength: 4_000, description: 'What was found, with its name.' }),
  /** Absent: the remedy of the check counts. */
  remedy: Type.Optional(Type.String({ minLength: 1, maxLength: 4_000 })),
});
export type CheckResult = Static<typeof CheckResult>;

/** A template that the instance may serve, with the defaults of the instance, and the API that launches it. */
export interface CheckedTemplate {
  readonly template: Template;
  readonly api: ProviderApi;
}

/**
 * A check of what a request needs from a provider. It changes nothing there, and reports everything that it finds: a
 * fault means that the check could not be made.
 */
export interface ProviderCheck<Session = any> {
  /** One or some words in kebab case, unique in the provider type. */
  readonly name: string;
  /** What happens to a request when the check fails. As the other two texts, 1 to 1000 characters. */
  readonly why: string;
  /** What a person does about it. */
  readonly remedy: string;
  /** Ends within 30 seconds. An empty list: the templates need nothing of it. */
  run(session: Session, templates: readonly CheckedTemplate[], call: Call): Promise<readonly CheckResult[]>;
}
