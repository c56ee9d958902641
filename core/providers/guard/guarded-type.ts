import type { AccountContents } from '../../contract/provider/account-contents.ts';
import type { CheckedTemplate, CheckResult, ProviderCheck } from '../../contract/provider/provider-check.ts';
import type { ProviderApi } from '../../contract/provider/provider-api.ts';
import type { ProviderType } from '../../contract/provider/provider-type.ts';
import type { HostRef, MachineType, OwnedResource, Places } from '../../contract/provider/resources.ts';
import { pluginOf } from '../../wiring/contributed-by.ts';
import { checkLivingHosts, checkMachineType, checkPlaces as placesAnswer } from '../answer-checks/answers.ts';
import { readAccountContents } from '../answer-checks/read-account-contents.ts';
import { readCheckResults } from '../answer-checks/read-check-results.ts';
import { listing } from '../answer-checks/listing.ts';
import { guardedListing } from './guarded-listing.ts';
import { guardedNotices, type GuardedNotices } from './guarded-notices.ts';
import type { GuardedCalls, Permit } from './guarded-calls.ts';

/** Every process keeps the types in memory. The largest cloud has about a thousand. */
const mostTypes = 20_000;

/** A check of the type, bound to the session. Rejects with a ProviderFault when the check could not be made. */
export interface GuardedCheck extends Pick<ProviderCheck, 'name' | 'why' | 'remedy'> {
  run(templates: readonly CheckedTemplate[], permit: Permit): Promise<readonly CheckResult[]>;
}

/** The result of a discovery. A field is absent where the type does not support it. */
export interface DiscoveryResult {
  readonly places?: Places;
  readonly machine_types?: readonly MachineType[];
}

/**
 * The type of one connected instance: the functions of `ProviderType`, bound to the session. Each rejects only with a
 * ProviderFault, within a bounded time, and its answer satisfies the contract. A function that the type does not have
 * is absent.
 */
export interface GuardedType {
  /** One cheap call. Without a `check` of the type, a successful connection is enough. */
  check(permit: Permit): Promise<void>;
  /** The places and all machine types. */
  readonly discovery?: (permit: Permit) => Promise<DiscoveryResult>;
  /** What templates can name in the account. */
  readonly discover?: (permit: Permit) => Promise<AccountContents>;
  /** What `muster doctor` checks. */
  readonly checks: readonly GuardedCheck[];
  /** The living ones of these hosts. */
  readonly whichLive?: (hosts: readonly HostRef[], permit: Permit) => Promise<readonly HostRef[]>;
  /** All resources of an installation, the containers of its APIs first. Complete, or the call rejects. */
  readonly owned?: (installation: string, permit: Permit) => Promise<readonly OwnedResource[]>;
  /** Whether a resource of `owned` can be removed. */
  removable(resource: OwnedResource): boolean;
  /** Ends resources of `owned` that are removable. */
  remove(resources: readonly OwnedResource[], permit: Permit): Promise<void>;
  /** The notices of the instance. Absent: its configuration has none. */
  readonly notices?: GuardedNotices;
  close(permit: Permit): Promise<void>;
}

export function guardedType(
  type: ProviderType<any, any>,
  apis: readonly ProviderApi[],
  session: unknown,
  calls: GuardedCalls,
  config: unknown,
): GuardedType {
  const { instance } = calls;
  const plugin = pluginOf(type);
  const guardedLookup =
    (whichLive: NonNullable<typeof type.whichLive>): NonNullable<GuardedType['whichLive']> =>
    (hosts, permit) => {
      const about = { verb: 'which-live', what: `look-up of hosts at '${instance}'`, plugin } as const;
      return calls.call(
        about,
        permit,
        async (call) => whichLive(session, hosts, call),
        (answer) => checkLivingHosts(answer, hosts),
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
        const about = { verb: 'discovery', what: `discovery of '${instance}'`, plugin } as const;
        return calls.call(about, permit, async (call): Promise<DiscoveryResult> => {
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
    ...(type.discover && {
      discover: (permit) => {
        const about = { verb: 'discover', what: `discovery of the account of '${instance}'`, plugin } as const;
        return calls.call(about, permit, async (call) => readAccountContents(await type.discover?.(session, call)));
      },
    }),
    checks: (type.checks ?? []).map((check) => ({
      name: check.name,
      why: check.why,
      remedy: check.remedy,
      run: (templates, permit) => {
        const about = { verb: 'diagnose', what: `check '${check.name}' of '${instance}'`, plugin } as const;
        return calls.call(about, permit, async (call) => readCheckResults(await check.run(session, templates, call)));
      },
    })),
    ...(type.whichLive && { whichLive: guardedLookup(type.whichLive.bind(type)) }),
    ...(type.owned && { owned }),
    removable,
    remove,
    ...guardedNotices(type, session, calls, config),
    close: (permit) => {
      const about = { verb: 'close', what: `close of '${instance}'`, plugin } as const;
      return calls.call(about, permit, async () => type.close?.(session));
    },
  };
}
