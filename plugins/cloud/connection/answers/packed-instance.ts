import { frozen } from './frozen.ts';
import type { InstanceSummary } from './instance-summary.ts';
import { interned } from './interned.ts';

/**
 * A machine as it is remembered: a quarter of the memory of its JSON, because most of its values are those of other
 * machines too.
 */
export interface PackedInstance {
  /** JSON of `OwnValues`. */
  readonly own: string;
  /** JSON of the tags: machines of one order have the same ones. */
  readonly tags: string;
  /** All other properties: those of one type in one subnet have the same ones. */
  readonly shared: SharedProperties;
}

type OwnProperty =
  | 'InstanceId'
  | 'PrivateDnsName'
  | 'PrivateIpAddress'
  | 'PublicIpAddress'
  | 'Ipv6Address'
  | 'LaunchTime'
  | 'BlockDeviceMappings';
type SharedProperties = Readonly<Omit<InstanceSummary, OwnProperty | 'Tags'>>;

type Text = string | null | undefined;
/** The values that no other machine has. */
type OwnValues = readonly [
  id: Text,
  name: Text,
  privateIp: Text,
  publicIp: Text,
  ipv6: Text,
  /** Epoch milliseconds. */
  launchedAt: number | null | undefined,
  volumes: readonly Text[] | null | undefined,
];

const internedTags = interned((json) => json);
const internedProperties = interned((json) => frozen(JSON.parse(json) as SharedProperties));

export function packedInstance({
  InstanceId,
  PrivateDnsName,
  PrivateIpAddress,
  PublicIpAddress,
  Ipv6Address,
  LaunchTime,
  BlockDeviceMappings,
  Tags,
  ...shared
}: InstanceSummary): PackedInstance {
  const own: OwnValues = [
    InstanceId,
    PrivateDnsName,
    PrivateIpAddress,
    PublicIpAddress,
    Ipv6Address,
    LaunchTime?.getTime(),
    BlockDeviceMappings?.map(({ Ebs }) => Ebs?.VolumeId),
  ];
  return {
    own: JSON.stringify(own),
    tags: internedTags(JSON.stringify(Tags ?? null)),
    shared: internedProperties(JSON.stringify(shared)),
  };
}

/** The machine again. Its state, its placement and their like are those of other machines, and cannot be changed. */
export function unpackedInstance({ own, tags, shared }: PackedInstance): InstanceSummary {
  const [id, name, privateIp, publicIp, ipv6, launchedAt, volumes] = JSON.parse(own) as OwnValues;
  return {
    ...shared,
    InstanceId: id ?? undefined,
    PrivateDnsName: name ?? undefined,
    PrivateIpAddress: privateIp ?? undefined,
    PublicIpAddress: publicIp ?? undefined,
    Ipv6Address: ipv6 ?? undefined,
    LaunchTime: typeof launchedAt === 'number' ? new Date(launchedAt) : undefined,
    BlockDeviceMappings: volumes?.map((volume) => ({ Ebs: { VolumeId: volume ?? undefined } })),
    Tags: (JSON.parse(tags) as InstanceSummary['Tags'] | null) ?? undefined,
  };
}
