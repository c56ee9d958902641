import type { ProviderApi } from '../../contract/provider/provider-api.ts';
import type { ProviderType } from '../../contract/provider/provider-type.ts';
import type { OwnedResource } from '../../contract/provider/resources.ts';
import { pluginOf } from '../../wiring/contributed-by.ts';
import { checkOwnedResource } from '../answer-checks/answers.ts';
import { listing } from '../answer-checks/listing.ts';
import type { GuardedCalls, Permit } from './guarded-calls.ts';

const mostListed = 500_000;

/**
 * Lists and removes the resources of an installation at an instance. The lister of a resource also removes it: an API
 * its containers, the type everything else. Containers come first, because they would replace machines that are ended
 * earlier.
 */
export function guardedListing(
  type: ProviderType<any, any>,
  apis: readonly ProviderApi[],
  session: unknown,
  calls: GuardedCalls,
) {
  const { instance } = calls;
  const sources: readonly (ProviderApi | ProviderType<any, any>)[] = [...apis, type];
  const sourceOf = new WeakMap<OwnedResource, ProviderApi | ProviderType<any, any>>();

  /**
   * Returns the complete listing or rejects: from a partial one the core would conclude that the other resources are
   * gone.
   */
  function owned(installation: string, permit: Permit): Promise<readonly OwnedResource[]> {
    const about = { verb: 'owned', what: `listing of '${instance}'`, plugin: pluginOf(type) } as const;
    return calls.call(about, permit, async (call) => {
      const found: OwnedResource[] = [];
      for (const source of sources) {
        if (!source.owned) continue;
        await listing<OwnedResource>(
          source.owned(session, installation, call),
          mostListed,
          checkOwnedResource,
          (resource) => {
            found.push(resource);
            sourceOf.set(resource, source);
          },
        );
      }
      return found;
    });
  }

  const removable = (resource: OwnedResource): boolean => sourceOf.get(resource)?.remove !== undefined;

  async function remove(resources: readonly OwnedResource[], permit: Permit): Promise<void> {
    for (const [source, mine] of Map.groupBy(resources, (resource) => sourceOf.get(resource))) {
      const about = {
        verb: 'remove',
        what: `clean-up of '${instance}'`,
        plugin: pluginOf(source),
        mutating: true,
      } as const;
      await calls.call(about, permit, async (call) => source?.remove?.(session, mine, call));
    }
  }

  return { owned, removable, remove };
}
