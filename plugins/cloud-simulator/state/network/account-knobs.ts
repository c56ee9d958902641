import { zonePattern } from '../../knobs/pool-names.ts';
import { boolean, listOf, mapOf, orNull, record, type Shape, type Shapes, string } from '../../knobs/shapes.ts';

/** A VPC of an account, with its subnets and security groups. */
export interface VpcKnob {
  /** `vpc-…` */
  readonly vpc_id: string;
  /** The tag `Name`. */
  readonly name?: string;
  /** Default 10.0.0.0/8. */
  readonly cidr?: string;
  readonly subnets?: readonly {
    /** `subnet-…` */
    readonly subnet_id: string;
    readonly zone: string;
    /** Default 10.200.0.0/20. */
    readonly cidr?: string;
    /** The tag `Name`. */
    readonly name?: string;
  }[];
  readonly security_groups?: readonly { readonly group_id: string; readonly group_name: string }[];
}

/** What every account has in every region. */
export interface AccountKnobs {
  /**
   * Whether the region has a default VPC with its subnets and its security group. Without one, a launch that names no
   * subnet is refused with VPCIdNotSpecified.
   */
  readonly default_vpc: boolean;
  /** VPCs beside the default one. A VPC that is removed from the list is still shown until a reset. */
  readonly vpcs: readonly VpcKnob[];
  /** The names of the key pairs; null = those of the catalogue. */
  readonly key_pairs: readonly string[] | null;
  /** Service-linked roles that IAM has not: GetRole ends with NoSuchEntity. */
  readonly missing_roles: readonly string[];
  /** Values of Service Quotas by their code. Default: those of `defaultQuotas` in `actions/quotas/quota-table.ts`. */
  readonly service_quotas: Readonly<Record<string, number>>;
}

export const accountDefaults: AccountKnobs = {
  default_vpc: true,
  vpcs: [],
  key_pairs: null,
  missing_roles: [],
  service_quotas: {},
};

const idOf =
  (form: RegExp): Shape =>
  (value, path) =>
    typeof value === 'string' && form.test(value) ? [] : [`${path}: expected an id of the form ${form.source}`];
const cidr: Shape = (value, path) =>
  typeof value === 'string' && /^\d{1,3}(?:\.\d{1,3}){3}\/(?:8|9|1\d|2[0-8])$/.test(value)
    ? []
    : [`${path}: expected a block such as 10.1.0.0/16, from /8 to /28`];
const amount: Shape = (value, path) =>
  typeof value === 'number' && value >= 0 ? [] : [`${path}: expected a number, 0 or more`];

export const accountShapes: Shapes = {
  default_vpc: boolean,
  vpcs: listOf(
    record(
      {
        vpc_id: idOf(/^vpc-[\w-]+$/),
        name: string,
        cidr,
        subnets: listOf(
          record({ subnet_id: idOf(/^subnet-[\w-]+$/), zone: zonePattern, cidr, name: string }, ['subnet_id', 'zone']),
        ),
        security_groups: listOf(
          record({ group_id: idOf(/^sg-[\w-]+$/), group_name: string }, ['group_id', 'group_name']),
        ),
      },
      ['vpc_id'],
    ),
  ),
  key_pairs: orNull(listOf(string)),
  missing_roles: listOf(string),
  service_quotas: mapOf(amount),
};
