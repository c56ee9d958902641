import { isBrokerError } from '../../contract/errors.ts';
import type { Placed } from '../../model/template.ts';
import type { Chosen } from '../../providers/choose.ts';
import type { Services } from '../services.ts';

/** Selects an instance, in a span of its own. */
export function selectTraced(
  select: () => Chosen,
  placed: Placed,
  { tracer, providers }: Pick<Services, 'tracer' | 'providers'>,
): Chosen {
  if (!tracer.on) return select();
  const start = tracer.moment();
  const { template_id } = placed.template;
  try {
    const chosen = select();
    const { provider_instance, seen = placed.template } = chosen;
    const attributes = {
      'muster.template_id': template_id,
      'muster.provider_instance': provider_instance,
      'muster.provider_api': providers.apiOf(seen, provider_instance)?.name,
      'muster.selection.reason': chosen.selection_reason,
      'muster.selection.alternatives': chosen.alternatives.length,
      'muster.selection.rejected': chosen.rejected.length,
      'muster.outcome': 'ok',
    };
    tracer.leaf({ name: 'select', start, attributes });
    return chosen;
  } catch (error) {
    const failure = isBrokerError(error) ? { failure: error } : {};
    tracer.leaf({ name: 'select', start, attributes: { 'muster.template_id': template_id }, ...failure });
    throw error;
  }
}
