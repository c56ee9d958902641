import type { Price } from '../../model/cost/price.ts';
import type { Market } from '../../model/market.ts';
import type { MachineReport } from './orders-and-reports.ts';

export interface Places {
  readonly regions: readonly string[];
  readonly availability_zones: readonly string[];
  /**
   * The zone of each place that offers name instead of a zone, for example a subnet; an offer names it in any of its
   * fields. Only shown. Default: an offer is in the zone that its field `zone` names.
   */
  readonly zone_of?: Readonly<Record<string, string>>;
}

export interface MachineType {
  readonly name: string;
  readonly vcpus: number;
  readonly cores: number;
  readonly memory_mib: number;
  readonly arch: string;
}

/** What one machine of an offer takes of a budget, at most. An absent field is not known. */
export interface OfferTerms {
  /** Absent: machines of the offer may come from any market. */
  readonly market?: Market;
  readonly vcpus?: number;
  /** The highest price that the machine may have when it is first reported. */
  readonly price?: Price;
}

/** A host as a caller names it: by its id, or by its private name where the id is not known. */
export interface HostRef {
  readonly machine_id?: string;
  readonly name?: string;
}

/** A resource in the cloud that carries the tags of an installation. */
export interface OwnedResource {
  readonly kind: 'machine' | 'container' | 'launch_template';
  readonly id: string;
  readonly request_id?: string;
  readonly attempt?: number;
  readonly created_at?: string;
  /** Only for machines: the report that `observe` would give. */
  readonly machine?: MachineReport;
}
