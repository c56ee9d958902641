import type { Tag } from '@aws-sdk/client-ec2';
import { ownIdTag, ownTags } from '../../template/tags.ts';
import { frozen } from './frozen.ts';
import type { InstanceSummary } from './instance-summary.ts';
import { interned } from './interned.ts';

/** A machine as it is remembered: a third of the memory of its JSON, because machines share most of their values. */
export interface PackedInstance {
  /** JSON of `OwnValues`. */
  readonly own: string;
  /** JSON of the tags, without the values of those that each machine has for itself. One order has one text. */
  readonly tags: string;
  /** All other properties: machines of one type in one subnet share them. */
  readonly shared: SharedProperties;
}

type OwnProperty =
  | 'InstanceId'
  | 'PrivateDnsName'
  | 'PrivateIpAddress'
  | 'PublicIpAddress'
  | 'Ipv6Address'
  | 'LaunchTime'
  | 'BlockDeviceMappings'
  | 'StateTransitionReason';
type SharedProperties = Readonly<Omit<InstanceSummary, OwnProperty | 'Tags'>>;

type Text = string | null | undefined;
/** The values that differ from machine to machine. */
type OwnValues = readonly [
  id: Text,
  name: Text,
  privateIp: Text,
  publicIp: Text,
  ipv6: Text,
  /** Epoch milliseconds. */
  launchedAt: number | null | undefined,
  volumes: readonly Text[] | null | undefined,
  /** It names the second at which the machine was stopped. */
  transition: Text,
  tags: readonly Text[],
];

const ownKeys: ReadonlySet<string | undefined> = new Set([ownIdTag, ownTags.name]);
const isOwn = ({ Key }: Tag): boolean => ownKeys.has(Key);

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
  StateTransitionReason,
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
    StateTransitionReason,
    (Tags ?? []).filter(isOwn).map(({ Value }) => Value),
  ];
  const tags = Tags?.map((tag) => (isOwn(tag) ? { Key: tag.Key } : tag));
  return {
    own: JSON.stringify(own),
    tags: internedTags(JSON.stringify(tags ?? null)),
    shared: internedProperties(JSON.stringify(shared)),
  };
}

/** The machine again. What it shares with other machines, such as its state and its placement, cannot be changed. */
export function unpackedInstance({ own, tags, shared }: PackedInstance): InstanceSummary {
  const [id, name, privateIp, publicIp, ipv6, launchedAt, volumes, transition, ownValues] = JSON.parse(
    own,
  ) as OwnValues;
  const values = ownValues.values();
  return {
    ...shared,
    InstanceId: id ?? undefined,
    PrivateDnsName: name ?? undefined,
    PrivateIpAddress: privateIp ?? undefined,
    PublicIpAddress: publicIp ?? undefined,
    Ipv6Address: ipv6 ?? undefined,
    LaunchTime: typeof launchedAt === 'number' ? new Date(launchedAt) : undefined,
    BlockDeviceMappings: volumes?.map((volume) => ({ Ebs: { VolumeId: volume ?? undefined } })),
    StateTransitionReason: transition ?? undefined,
    Tags: (JSON.parse(tags) as Tag[] | null)?.map((tag) =>
      isOwn(tag) ? { ...tag, Value: values.next().value ?? undefined } : tag,
    ),
  };
}
