import type { Offer } from '../../model/shortfall.ts';
import type { TemplateOf } from '../../model/template.ts';
import type { ObjectSchema } from '../../schema/object-schema.ts';
import type { ProviderFault } from '../fault.ts';
import type { Finding } from '../findings.ts';
import type { Call } from './call.ts';
import { type Capabilities, type DeclaredCapabilities, defaultCapabilities } from './capabilities.ts';
import type {
  Launch,
  LaunchOrder,
  MachineRef,
  Observation,
  Progress,
  ReleaseTarget,
  Watched,
} from './orders-and-reports.ts';
import type { OwnedResource } from './resources.ts';

/**
 * One way of a cloud to provide machines. `launch`, `observe` and `release` are mandatory; all other members are
 * optional.
 */
export interface ProviderApi<
  Session = any,
  Fields extends ObjectSchema = any,
  Handle extends object = any,
  Prepared = any,
> {
  /** The provider type that the API belongs to. */
  readonly type: string;
  readonly name: string;
  /** Other names of this API in files and request bodies. */
  readonly aliases?: readonly string[];
  readonly capabilities: Capabilities;
  /** Template fields of this API beyond the common ones. */
  readonly fields?: Fields;
  /**
   * Creates or resolves everything that the launch refers to (launch template version, image id) and returns the exact
   * parameters of the launch. Idempotent by `order.token`. The core stores the result before it calls `launch`, and
   * does not call `prepare` again for this attempt.
   */
  prepare?(session: Session, order: LaunchOrder<Fields>, call: Call): Promise<Prepared>;
  /**
   * Executes one attempt. However often it is called, the same `order.token` never starts more than `machine_count`
   * machines. A launch that started a part of the order returns that part with a shortfall. It throws only where
   * nothing was started, or with `unknown-outcome`.
   */
  launch(session: Session, order: LaunchOrder<Fields, Prepared>, call: Call): Promise<Launch<Handle>>;
  /**
   * Returns one entry for each entry of `watched`, in the same order. A fault of one entry is returned as that entry,
   * not thrown. The core passes all due attempts of this instance and API in one call, so that the plugin can group
   * its describe calls.
   */
  observe(
    session: Session,
    watched: readonly Watched<Handle>[],
    call: Call,
  ): Promise<readonly (Observation<Handle> | ProviderFault)[]>;
  /**
   * Brings an attempt to the target. `go: []` with `incoming: 0` stops a launch. Idempotent: a machine that is already
   * gone is a success. `done` means that the provider accepted the target, and that no machines beyond `incoming` will
   * arrive: neither later ones nor such that live and that the cloud did not show yet.
   */
  release(session: Session, handle: Handle, target: ReleaseTarget, call: Call): Promise<Progress>;
  /**
   * Removes the rest of an attempt without machines: fleet, group, launch template. Also called with the order alone,
   * when no handle was ever stored.
   */
  dispose?(
    session: Session,
    left: { readonly order: LaunchOrder<Fields, Prepared | undefined>; readonly handle?: Handle },
    call: Call,
  ): Promise<Progress>;
  /**
   * Looks for the effect of an order whose answer was lost. `undefined` means that nothing is visible yet; this proves
   * nothing.
   */
  find?(session: Session, order: LaunchOrder<Fields, Prepared | undefined>, call: Call): Promise<Handle | undefined>;
  /**
   * Containers of this API (fleets, groups) that carry the tags of an installation, for discovery of orphans. Default:
   * none.
   */
  owned?(session: Session, installation: string, call: Call): AsyncIterable<OwnedResource>;
  /**
   * Removes containers that no request knows, so that they start no further machines; `remove` of the provider type
   * ends their machines. Idempotent.
   */
  remove?(session: Session, orphans: readonly OwnedResource[], call: Call): Promise<void>;
  /** Findings about fields of a template that this API cannot honor. Pure. */
  review?(template: TemplateOf<Fields>): readonly Finding[];
  /** The pools that a template allows, best first. Pure. Shortfalls name offers by the same key. */
  offers?(template: TemplateOf<Fields>): readonly Offer[];
  /**
   * Those of the offers that stand for the pool of a machine: its type, place and market. A replacement of a machine
   * that may be reclaimed uses the other offers first. Pure. Default: none.
   */
  offersOfMachine?(machine: MachineRef, offers: readonly Offer[]): readonly Offer[];
  /**
   * The offer with a key that a shortfall named, for people: no template need have it. Pure. Default: only the key is
   * shown.
   */
  offerNamed?(key: string): Offer | undefined;
}

/** A provider API as a plugin declares it. */
export type DeclaredProviderApi<Session, Fields extends ObjectSchema, Handle extends object, Prepared> = Omit<
  ProviderApi<Session, Fields, Handle, Prepared>,
  'capabilities'
> & { readonly capabilities: DeclaredCapabilities };

/**
 * Infers fields, handle and prepared, and adds the defaults of `capabilities`: `defineProviderApi<SessionOf<typeof
 * cloud>>()({…})`.
 */
export function defineProviderApi<S>() {
  return <F extends ObjectSchema, H extends object, P = undefined>(
    api: DeclaredProviderApi<S, F, H, P>,
  ): ProviderApi<S, F, H, P> => ({
    ...api,
    capabilities: { ...defaultCapabilities, ...api.capabilities },
  });
}
