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
  const span = tracer.start('select', {
    leaf: true,
    attributes: { 'muster.template_id': placed.template.template_id },
  });
  try {
    const chosen = select();
    const { provider_instance, seen = placed.template } = chosen;
    const api = providers.apiOf(seen, provider_instance)?.name;
    span.set({
      'muster.provider_instance': provider_instance,
      ...(api === undefined ? {} : { 'muster.provider_api': api }),
      'muster.selection.reason': chosen.selection_reason,
      'muster.selection.alternatives': chosen.alternatives.length,
      'muster.selection.rejected': chosen.rejected.length,
      'muster.outcome': 'ok',
    });
    return chosen;
  } catch (error) {
    if (isBrokerError(error)) span.fail({ code: error.code, message: error.message });
    throw error;
  } finally {
    span.end();
  }
}
