import { createHash } from 'node:crypto';
import {
  type CatalogueImage,
  type CatalogueRegion,
  type CatalogueSecurityGroup,
  catalogueRegion,
} from '../../catalogue.ts';
import type { AccountKnobs, VpcKnob } from './account-knobs.ts';
import { AwsError } from '../../wire/errors.ts';
import { createSubnet, type Subnet } from './subnets.ts';

/**
 * The zones, default subnets, groups and images of a region, and the subnets that callers named without creating
 * them.
 */
export interface Network {
  readonly catalogue: CatalogueRegion;
  readonly zones: readonly string[];
  /** Adds the VPCs of the knobs, with their subnets and groups, and hides the default VPC or shows it. */
  furnish(account: Pick<AccountKnobs, 'default_vpc' | 'vpcs'>): void;
  /** The default VPC first, unless the account has none. */
  vpcs(): readonly Vpc[];
  /** A subnet of a VPC of the account, or one that was adopted. */
  subnet(id: string): Subnet | undefined;
  /** The subnet; an unknown one is created in `zone` (default: a zone derived from the id). */
  adoptSubnet(id: string, zone?: string): Subnet;
  /** The default subnet of a zone. Throws VPCIdNotSpecified when the account has no default VPC. */
  defaultSubnet(zone: string): Subnet;
  subnets(): Iterable<Subnet>;
  /** The security groups of all VPCs. */
  groups(): readonly CatalogueSecurityGroup[];
  group(id: string): CatalogueSecurityGroup | undefined;
  image(id: string): CatalogueImage | undefined;
}

/** A VPC as DescribeVpcs shows it. */
export interface Vpc {
  readonly id: string;
  readonly cidr: string;
  readonly isDefault: boolean;
  readonly name?: string | undefined;
}

const widestCidr = '10.0.0.0/8';

export function createNetwork(region: string): Network {
  const catalogue = catalogueRegion(region) ?? generatedRegion(region);
  const zones = catalogue.zones.map((zone) => zone.zone);
  const zoneIds = new Map(catalogue.zones.map((zone) => [zone.zone, zone.zone_id]));
  const subnets = new Map(
    catalogue.subnets.map((s) => [
      s.subnet_id,
      createSubnet({
        id: s.subnet_id,
        zone: s.zone,
        zoneId: zoneIds.get(s.zone) as string,
        vpcId: s.vpc_id,
        cidr: s.cidr,
        listed: true,
        isDefault: true,
      }),
    ]),
  );
  const defaultVpc: Vpc = { id: catalogue.vpc_id, cidr: widestCidr, isDefault: true };
  const ownVpcs = new Map<string, Vpc>();
  const ownGroups = new Map<string, CatalogueSecurityGroup>();
  let hasDefault = true;
  let furnished: readonly VpcKnob[] = [];
  const isShown = (subnet: Subnet) => hasDefault || !subnet.isDefault;
  const groups = () => [...(hasDefault ? catalogue.security_groups : []), ...ownGroups.values()];
  let adopted = 0;
  return {
    catalogue,
    zones,
    furnish({ default_vpc, vpcs }) {
      hasDefault = default_vpc;
      if (vpcs === furnished) return;
      furnished = vpcs;
      for (const vpc of vpcs) {
        const { vpc_id: id, name, cidr = widestCidr } = vpc;
        ownVpcs.set(id, { id, cidr, isDefault: false, name });
        for (const group of vpc.security_groups ?? []) ownGroups.set(group.group_id, { ...group, vpc_id: id });
        for (const subnet of vpc.subnets ?? []) {
          // A zone of another region has no subnet here: the knobs count for all regions.
          const zoneId = zoneIds.get(subnet.zone);
          if (zoneId === undefined || subnets.get(subnet.subnet_id)?.listed) continue;
          const { subnet_id, zone, cidr: block = '10.200.0.0/20', name: label } = subnet;
          const about = { zone, zoneId, vpcId: id, cidr: block, listed: true, isDefault: false, name: label };
          subnets.set(subnet_id, createSubnet({ id: subnet_id, ...about }));
        }
      }
    },
    vpcs: () => [...(hasDefault ? [defaultVpc] : []), ...ownVpcs.values()],
    groups,
    subnet(id) {
      const known = subnets.get(id);
      return known !== undefined && isShown(known) ? known : undefined;
    },
    adoptSubnet(id, zone) {
      const known = subnets.get(id);
      if (known !== undefined) return known;
      // After 192 adopted subnets the address blocks repeat, as they may between two VPCs.
      const cidr = `10.${64 + (adopted++ % 192)}.0.0/16`;
      const home = zone ?? (zones[digest(id) % zones.length] as string);
      const made = createSubnet({
        id,
        zone: home,
        zoneId: zoneIds.get(home) as string,
        vpcId: catalogue.vpc_id,
        cidr,
        listed: false,
        isDefault: false,
      });
      subnets.set(id, made);
      return made;
    },
    defaultSubnet(zone) {
      if (!hasDefault) throw noDefaultVpc();
      return subnets.get(
        (catalogue.subnets.find((s) => s.zone === zone) as { subnet_id: string }).subnet_id,
      ) as Subnet;
    },
    subnets: () => subnets.values().filter(isShown),
    group: (id) => groups().find((group) => group.group_id === id),
    image: (id) => catalogue.images.find((image) => image.image_id === id),
  };
}

const noDefaultVpc = () =>
  new AwsError(
    'VPCIdNotSpecified',
    'No default VPC for this user. GroupName is only supported for EC2-Classic and default VPC.',
  );

/** A region outside of the catalogue: three zones with a default subnet each, so that every region name can be used. */
function generatedRegion(region: string): CatalogueRegion {
  const hex = (name: string) => createHash('sha256').update(`${region}/${name}`).digest('hex').slice(0, 16);
  const vpcId = `vpc-0${hex('vpc')}`;
  const zones = ['a', 'b', 'c'].map((letter) => `${region}${letter}`);
  return {
    vpc_id: vpcId,
    zones: zones.map((zone, index) => ({ zone, zone_id: `${region}-az${index + 1}`, lacks: [] })),
    subnets: zones.map((zone, index) => ({
      subnet_id: `subnet-0${hex(zone)}`,
      zone,
      cidr: `10.${index}.0.0/16`,
      vpc_id: vpcId,
    })),
    security_groups: [{ group_id: `sg-0${hex('default')}`, group_name: 'default', vpc_id: vpcId }],
    images: [
      { image_id: `ami-0${hex('x86_64')}`, name: 'simulated-linux-x86_64', arch: 'x86_64' },
      { image_id: `ami-0${hex('arm64')}`, name: 'simulated-linux-arm64', arch: 'arm64' },
    ],
    key_names: ['default'],
  };
}

function digest(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0);
}
