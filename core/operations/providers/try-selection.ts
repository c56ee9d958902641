import { BrokerError } from '../../contract/errors.ts';
import { isError, placesOf, sentence, sentences } from '../../contract/findings.ts';
import { newRequestId } from '../../model/ids.ts';
import type { Placed } from '../../model/template.ts';
import type { Preference } from '../../model/request.ts';
import { chooseUnreviewed } from '../../providers/choose.ts';
import type { Selection, Strategy } from '../../selection/candidate.ts';
import type { TemplateReview } from '../../templates/review.ts';
import { templateSize } from '../../templates/template-size.ts';
import type { Services } from '../services.ts';

/**
 * The named template, or the given one. Throws INVALID_REQUEST for both or neither, and TEMPLATE_INVALID for an
 * invalid one.
 */
export async function templateOf(
  { template, template_id }: { readonly template?: Readonly<Record<string, unknown>>; readonly template_id?: string },
  { templateLibrary, review }: Services,
): Promise<Placed> {
  if ((template === undefined) === (template_id === undefined)) {
    throw new BrokerError('INVALID_REQUEST', '/template: give either a template or a template_id.');
  }
  if (template_id !== undefined) {
    await templateLibrary.seek(template_id);
    return templateLibrary.placed(template_id);
  }
  const tooLarge = templateSize(template ?? {});
  if (tooLarge)
    throw new BrokerError('TEMPLATE_INVALID', sentence({ ...tooLarge, path: '/template' }), {
      findings: placesOf([tooLarge]),
    });
  const { fields, findings } = review.canonical(template ?? {});
  const whole = { template_id: 'unnamed', ...fields };
  const wrong = [...findings, ...review.check(whole, 'none')].filter(isError);
  if (wrong.length === 0) return { template: whole };
  const inside = wrong.map((finding) => ({ ...finding, path: `/template${finding.path}` }));
  throw new BrokerError('TEMPLATE_INVALID', sentences(inside), { findings: placesOf(inside) });
}

/** Selection criteria, in the field names of callers. */
export interface Preferred {
  readonly selection_strategy?: Strategy;
  readonly provider_instance?: string;
  readonly provider_type?: string;
}

/** The strategy and criteria of a caller, with the provider type under its own name. */
export const preferenceOf = (
  { selection_strategy, provider_instance, provider_type }: Preferred,
  review: Pick<TemplateReview, 'typeNamed'>,
): Preference => ({
  ...(selection_strategy === undefined ? {} : { strategy: selection_strategy }),
  ...(provider_instance === undefined ? {} : { provider_instance }),
  ...(provider_type === undefined ? {} : { provider_type: review.typeNamed(provider_type) ?? provider_type }),
});

/** Selects an instance as a request would, without making a request. */
export function trySelection(
  placed: Placed,
  criteria: Preferred & { readonly request_id?: string; readonly machine_count?: number },
  { providers, review, clock }: Services,
): { readonly selection: Selection; readonly took_ms: number } {
  const started = clock.monotonic();
  const key = criteria.request_id ?? newRequestId();
  const selection = chooseUnreviewed(
    placed,
    { key, machine_count: criteria.machine_count ?? 1 },
    preferenceOf(criteria, review),
    providers,
  );
  return { selection, took_ms: Math.round(clock.monotonic() - started) };
}
