import type { Offer, Shortfall } from '../../../model/shortfall.ts';
import type { Template } from '../../../model/template.ts';
import type { Capabilities } from '../../../contract/provider/capabilities.ts';
import type { OfferShortfall } from '../../../providers/facts.ts';

/** One instance that may serve a request, with its present offers. */
export interface ProviderOption {
  readonly provider_instance: string;
  readonly provider_type: string;
  readonly api: string;
  readonly capabilities: Capabilities;
  /** The template with the defaults of the instance. */
  readonly template: Template;
  /** The instance does not answer, or its credentials were refused. */
  readonly unhealthy?: boolean;
  /** Best first. Undefined when the API has no offers to select from. */
  readonly offers: readonly Offer[] | undefined;
  /** The offers that lacked capacity recently, for any request, by key. */
  readonly shortfalls: ReadonlyMap<string, OfferShortfall>;
  /** Why the plugin failed to list its offers. */
  readonly trouble?: Shortfall;
}
