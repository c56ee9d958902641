import { BrokerError } from '../errors.ts';
import { isError, sentences } from '../findings.ts';
import { newRequestId } from '../ids.ts';
import type { Template } from '../model/template.ts';
import type { Preference } from '../providers/directory.ts';
import type { Selection, Strategy } from '../selection/candidate.ts';
import type { Services } from './services.ts';

/** A template, and the instances that several instance files open it to. */
export interface Placed {
  readonly template: Template;
  readonly openTo: readonly string[] | undefined;
}

/** The template that is named, or the one that is given; refuses both, neither, and one that is none. */
export async function templateOf(
  { template, template_id }: { readonly template?: Readonly<Record<string, unknown>>; readonly template_id?: string },
  { templates, review }: Services,
): Promise<Placed> {
  if ((template === undefined) === (template_id === undefined)) {
    throw new BrokerError('INVALID_REQUEST', '/template: give a template, or the template_id of one; not both.');
  }
  if (template_id !== undefined) return { template: await templates.seek(template_id), openTo: templates.openTo(template_id) };
  const { fields, findings } = review.canonical(template ?? {});
  const whole = { template_id: 'unnamed', ...fields };
  const wrong = [...findings, ...review.check(whole, 'none')].filter(isError);
  if (wrong.length === 0) return { template: whole, openTo: undefined };
  throw new BrokerError('TEMPLATE_INVALID', sentences(wrong.map((finding) => ({ ...finding, path: `/template${finding.path}` }))), {
    findings: wrong.map(({ path, message }) => ({ path: `/template${path}`, message })),
  });
}

/** What is preferred, in the words of a caller. */
export interface Preferred {
  readonly selection_strategy?: Strategy;
  readonly provider_instance?: string;
  readonly provider_type?: string;
}

/** Which strategy a caller named, or meant by what it named. */
export const preferenceOf = ({ selection_strategy, provider_instance, provider_type }: Preferred): Preference => ({
  ...(selection_strategy === undefined ? {} : { strategy: selection_strategy }),
  ...(provider_instance === undefined ? {} : { provider_instance }),
  ...(provider_type === undefined ? {} : { provider_type }),
});

/** Selects as a request would, without one. */
export function trySelection(
  template: Template,
  openTo: readonly string[] | undefined,
  wanted: Preferred & { readonly request_id?: string; readonly machine_count?: number },
  { providers, clock }: Services,
): { readonly selection: Selection; readonly took_ms: number } {
  const started = clock.monotonic();
  const key = wanted.request_id ?? newRequestId();
  const selection = providers.select(template, key, wanted.machine_count ?? 1, preferenceOf(wanted), openTo);
  return { selection, took_ms: Math.round(clock.monotonic() - started) };
}
