import type { Offer, Shortfall } from '../../model/shortfall.ts';
import type { Template } from '../../model/template.ts';
import type { Capabilities } from '../../contract/provider.ts';
import type { Lack } from '../../providers/facts.ts';

/** One instance that may serve a request, with what it offers now. */
export interface ProviderOption {
  readonly provider_instance: string;
  readonly provider_type: string;
  readonly api: string;
  readonly capabilities: Capabilities;
  /** With the instance's defaults. */
  readonly template: Template;
  /** It does not answer at present, or may not act. */
  readonly unhealthy?: boolean;
  /** Best first; undefined when the API has none to choose from. */
  readonly offers: readonly Offer[] | undefined;
  /** Those that lacked capacity lately, whichever request found out, by key. */
  readonly short: ReadonlyMap<string, Lack>;
  /** Why its plugin does not say what it offers. */
  readonly trouble?: Shortfall;
}
