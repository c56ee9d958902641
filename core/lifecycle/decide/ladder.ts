import { isError } from '../../findings.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { ProviderDirectory } from '../../providers/directory.ts';
import type { Facts } from '../../providers/facts.ts';
import type { Rung } from './plan.ts';

/** The instances that may serve a request, as they are now: those that answer first, each with the offers worth trying. */
export function ladderOf(request: RequestRecord, directory: ProviderDirectory, facts: Facts): readonly Rung[] {
  const rungs = request.ladder.flatMap((name): Rung[] => {
    const template = request.variants?.[name] ?? request.template;
    const instance = directory.instance(name);
    const api = instance && template && directory.apiOf(template, name);
    if (!instance || !api || !template) return [];
    const rung = { provider_instance: name, provider_type: instance.type, api: api.name, capabilities: api.capabilities };
    // It is not asked what it offers, and no order for it is sent: the request waits for it where there is no other.
    if (directory.quarantined(name)) return [{ ...rung, template: directory.templateFor(template, instance), offers: undefined }];
    if (directory.review(template, instance).some(isError)) return [];
    return [
      {
        ...rung,
        template: directory.templateFor(template, instance),
        offers: directory.openOffers(template, instance, api),
        skipped: directory.skippedOffers(template, instance, api),
      },
    ];
  });
  const unhealthy = ({ provider_instance }: Rung) => Number(facts.health(provider_instance).status === 'unhealthy');
  return rungs.toSorted((a, b) => unhealthy(a) - unhealthy(b));
}
