import type { HostRef, MachineType, OwnedResource, Places, ProviderApi, ProviderType } from '../../contract/provider.ts';
import { pluginOf } from '../../wiring/contributed-by.ts';
import { checkLivingHosts, checkMachineType, checkPlaces as placesAnswer } from '../answer-checks/answers.ts';
import { listing } from '../answer-checks/listing.ts';
import { guardedListing } from './guarded-listing.ts';
import type { GuardedCalls, Permit } from './guarded-calls.ts';

/** Kept in memory by every process. The largest cloud has about a thousand. */
const mostTypes = 20_000;

/** What an instance said that it has; absent where its type cannot tell. */
export interface WhatItHas {
  readonly places?: Places;
  readonly machine_types?: readonly MachineType[];
}

/**
 * The type of one connected instance: what `ProviderType` can be asked, bound to the session. Each rejects only with a ProviderFault, in bounded time, and
 * what it gives is as the contract says. What the type cannot do is absent.
 */
export interface GuardedType {
  /** One cheap question; that it was connected is enough where the type has none. */
  check(permit: Permit): Promise<void>;
  /** Its places and all its machine types. */
  readonly discovery?: (permit: Permit) => Promise<WhatItHas>;
  /** Of these hosts, those that live. */
  readonly whichLive?: (hosts: readonly HostRef[], permit: Permit) => Promise<readonly HostRef[]>;
  /** Everything of an installation, the containers of its APIs first: the whole or nothing. */
  readonly owned?: (installation: string, permit: Permit) => Promise<readonly OwnedResource[]>;
  /** Whether something that `owned` gave can be removed. */
  removable(resource: OwnedResource): boolean;
  /** Ends what `owned` gave and is removable. */
  remove(resources: readonly OwnedResource[], permit: Permit): Promise<void>;
  close(permit: Permit): Promise<void>;
}

export function guardedType(
  type: ProviderType<any, any>,
  apis: readonly ProviderApi[],
  session: unknown,
  calls: GuardedCalls,
): GuardedType {
  const { instance } = calls;
  const plugin = pluginOf(type);
  const asked =
    (whichLive: NonNullable<typeof type.whichLive>): NonNullable<GuardedType['whichLive']> =>
    (hosts, permit) => {
      const about = { verb: 'which-live', what: `question for hosts at '${instance}'`, plugin } as const;
      return calls.call(
        about,
        permit,
        async (call) => whichLive(session, hosts, call),
        (said) => checkLivingHosts(said, hosts),
      );
    };
  const { owned, removable, remove } = guardedListing(type, apis, session, calls);
  return {
    check: (permit) => {
      const about = { verb: 'check', what: `check of '${instance}'`, plugin } as const;
      return calls.call(about, permit, async (call) => type.check?.(session, call));
    },
    ...((type.places || type.machineTypes) && {
      discovery: (permit) => {
        const about = { verb: 'discovery', what: `survey of '${instance}'`, plugin } as const;
        return calls.call(about, permit, async (call): Promise<WhatItHas> => {
          const machine_types: MachineType[] = [];
          const places = await type.places?.(session, call);
          if (type.places) placesAnswer(places);
          if (type.machineTypes)
            await listing<MachineType>(
              type.machineTypes(session, call),
              mostTypes,
              checkMachineType,
              (each) => void machine_types.push(each),
            );
          return { ...(places ? { places } : {}), ...(type.machineTypes ? { machine_types } : {}) };
        });
      },
    }),
    ...(type.whichLive && { whichLive: asked(type.whichLive.bind(type)) }),
    ...(type.owned && { owned }),
    removable,
    remove,
    close: (permit) => {
      const about = { verb: 'close', what: `close of '${instance}'`, plugin } as const;
      return calls.call(about, permit, async () => type.close?.(session));
    },
  };
}
