import type { OwnedResource, ProviderApi, ProviderType } from '../../contract/provider.ts';
import { pluginOf } from '../../wiring/contributed-by.ts';
import { checkOwnedResource } from '../answer-checks/answers.ts';
import { listing } from '../answer-checks/listing.ts';
import type { GuardedCalls, Permit } from './guarded-calls.ts';

const mostListed = 500_000;

/**
 * What an installation has at an instance, and the end of it. Who lists also removes: the APIs their containers, the type all else. Containers come
 * first, since they would refill what is ended before them.
 */
export function guardedListing(type: ProviderType<any, any>, apis: readonly ProviderApi[], session: unknown, calls: GuardedCalls) {
  const { instance } = calls;
  const sources: readonly (ProviderApi | ProviderType<any, any>)[] = [...apis, type];
  const sourceOf = new WeakMap<OwnedResource, ProviderApi | ProviderType<any, any>>();

  /** The whole listing or none: half of one would count the other half as missed. */
  function owned(installation: string, permit: Permit): Promise<readonly OwnedResource[]> {
    const about = { verb: 'owned', what: `sweep of '${instance}'`, plugin: pluginOf(type) } as const;
    return calls.call(about, permit, async (call) => {
      const found: OwnedResource[] = [];
      for (const source of sources) {
        if (!source.owned) continue;
        await listing<OwnedResource>(source.owned(session, installation, call), mostListed, checkOwnedResource, (resource) => {
          found.push(resource);
          sourceOf.set(resource, source);
        });
      }
      return found;
    });
  }

  const removable = (resource: OwnedResource): boolean => sourceOf.get(resource)?.remove !== undefined;

  async function remove(resources: readonly OwnedResource[], permit: Permit): Promise<void> {
    for (const [source, mine] of Map.groupBy(resources, (resource) => sourceOf.get(resource))) {
      const about = { verb: 'remove', what: `clean-up of '${instance}'`, plugin: pluginOf(source), mutating: true } as const;
      await calls.call(about, permit, async (call) => source?.remove?.(session, mine, call));
    }
  }

  return { owned, removable, remove };
}
