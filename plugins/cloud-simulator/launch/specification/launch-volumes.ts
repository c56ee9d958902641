import { AwsError, invalidCombination, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { type Params, part, parts, text } from '../../wire/form.ts';
import { flag, integer } from '../../wire/values.ts';

/** A volume that every machine of a launch gets. */
export interface LaunchVolume {
  readonly device: string;
  readonly deleteOnTermination: boolean;
  readonly kind: string;
  readonly gib: number;
  readonly iops: number | undefined;
  /** MiB a second; only of gp3 volumes. */
  readonly throughput: number | undefined;
  readonly encrypted: boolean;
  readonly kmsKeyId: string | undefined;
  /** The snapshot that the call names; the root volume without one comes from that of the image. */
  readonly snapshot: string | undefined;
}

/** Root device, and minimum size of the root volume, of the images of the catalogue. */
export const rootDevice = '/dev/xvda';
export const rootGib = 8;

const onlyRoot: readonly LaunchVolume[] = [
  {
    device: rootDevice,
    deleteOnTermination: true,
    kind: 'gp3',
    gib: rootGib,
    iops: 3000,
    throughput: 125,
    encrypted: false,
    kmsKeyId: undefined,
    snapshot: undefined,
  },
];

interface Kind {
  readonly gib: readonly [least: number, most: number];
  /** Absent if the kind has no selectable IOPS. */
  readonly iops?: readonly [least: number, most: number];
  readonly iopsRequired?: boolean;
  /** The most IOPS for each GiB, beyond those that any size may have. */
  readonly iopsPerGib?: number;
  readonly usualIops?: number;
}

const kinds: Readonly<Record<string, Kind>> = {
  gp2: { gib: [1, 16_384] },
  gp3: { gib: [1, 65_536], iops: [3000, 80_000], iopsPerGib: 500, usualIops: 3000 },
  io1: { gib: [4, 16_384], iops: [100, 64_000], iopsRequired: true, iopsPerGib: 50 },
  io2: { gib: [4, 65_536], iops: [100, 256_000], iopsRequired: true, iopsPerGib: 1000 },
  st1: { gib: [125, 16_384] },
  sc1: { gib: [125, 16_384] },
  standard: { gib: [1, 1024] },
};
const throughputs = [125, 2000] as const;
/** MiB a second for each I/O operation a second. */
const throughputPerIops = 0.25;

/** Reads `BlockDeviceMapping.N`: the volumes of a machine, the root volume first. */
export function readVolumes(all: Params): readonly LaunchVolume[] {
  const mappings = parts(all, 'BlockDeviceMapping');
  if (mappings.length === 0) return onlyRoot;
  const volumes = new Map<string, LaunchVolume>(onlyRoot.map((volume) => [volume.device, volume]));
  const named = new Set<string>();
  for (const mapping of mappings) {
    const device = text(mapping, 'DeviceName') ?? '';
    if (device === '') throw missingParameter('BlockDeviceMapping.DeviceName');
    if (named.has(device)) throw invalidMapping(`Duplicate device name: ${device}`);
    named.add(device);
    const volume = readMapping(mapping, device);
    if (volume !== undefined) volumes.set(device, volume);
    else volumes.delete(device);
  }
  return [...volumes.values()];
}

function readMapping(mapping: Params, device: string): LaunchVolume | undefined {
  const ebs = part(mapping, 'Ebs');
  const virtual = text(mapping, 'VirtualName');
  const none = text(mapping, 'NoDevice');
  if ([ebs, virtual, none].filter((one) => one !== undefined).length > 1)
    throw invalidMapping(`Only one of Ebs, VirtualName and NoDevice can be specified for device ${device}.`);
  if (none !== undefined) {
    if (device === rootDevice) throw invalidMapping(`The root device ${device} cannot be suppressed.`);
    return undefined;
  }
  if (virtual !== undefined) {
    if (!/^ephemeral\d{1,2}$/.test(virtual))
      throw invalidMapping(`Invalid virtual name '${virtual}' for device ${device}.`);
    return undefined;
  }
  if (ebs === undefined) throw invalidMapping(`The mapping of device ${device} has no Ebs, VirtualName or NoDevice.`);
  const kind = checkVolume(ebs, device);
  const gib = integer(ebs, 'VolumeSize') ?? rootGib;
  return {
    device,
    deleteOnTermination: flag(ebs, 'DeleteOnTermination') ?? true,
    kind,
    gib,
    iops: integer(ebs, 'Iops') ?? usualIops(kind, gib),
    throughput: integer(ebs, 'Throughput') ?? (kind === 'gp3' ? throughputs[0] : undefined),
    encrypted: flag(ebs, 'Encrypted') ?? false,
    kmsKeyId: text(ebs, 'KmsKeyId'),
    snapshot: text(ebs, 'SnapshotId'),
  };
}

/** The IOPS of a volume whose launch names none: of gp2, three for each GiB. */
function usualIops(kind: string, gib: number): number | undefined {
  if (kind === 'gp3') return 3000;
  return kind === 'gp2' ? Math.min(16_000, Math.max(100, 3 * gib)) : undefined;
}

/** Refuses settings that a volume of its kind cannot have, and returns the kind. */
function checkVolume(ebs: Params, device: string): string {
  const name = text(ebs, 'VolumeType') ?? (device === rootDevice ? 'gp3' : 'gp2');
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (kind === undefined) throw invalidParameter(`Value (${name}) for parameter ebs.volumeType is invalid.`);
  checkSize(ebs, device, name, kind);
  checkIops(ebs, device, name, kind);
  const throughput = integer(ebs, 'Throughput');
  if (throughput !== undefined && name !== 'gp3')
    throw invalidCombination('The parameter throughput can only be specified for gp3 volumes.');
  if (throughput !== undefined && outside(throughputs, throughput))
    throw outOfRange('throughput', throughput, throughputs);
  const iops = integer(ebs, 'Iops') ?? kind.usualIops ?? 0;
  if (throughput !== undefined && throughput > iops * throughputPerIops)
    throw invalidParameter(
      `Throughput (MiBps) to iops ratio of ${(throughput / iops).toFixed(3)} is too high; the maximum is ${throughputPerIops}.`,
    );
  if (text(ebs, 'KmsKeyId') !== undefined && flag(ebs, 'Encrypted') !== true)
    throw new AwsError(
      'InvalidParameterDependency',
      'The parameter KmsKeyId requires the parameter Encrypted to be set.',
    );
  return name;
}

function checkSize(ebs: Params, device: string, name: string, kind: Kind): void {
  const snapshot = text(ebs, 'SnapshotId');
  if (snapshot !== undefined && !/^snap-[\w-]+$/.test(snapshot))
    throw new AwsError('InvalidSnapshotID.Malformed', `Invalid id: "${snapshot}" (expecting "snap-...")`);
  const size = integer(ebs, 'VolumeSize');
  if (size === undefined) {
    if (device !== rootDevice && snapshot === undefined) throw missingParameter('size/snapshot');
    return;
  }
  if (device === rootDevice && size < rootGib)
    throw invalidMapping(`Volume of size ${size}GB is smaller than the image's snapshot, expect size >= ${rootGib}GB`);
  if (outside(kind.gib, size))
    throw invalidMapping(`Volume of ${size}GiB does not fit type ${name}; it takes ${kind.gib.join(' to ')}GiB.`);
}

function checkIops(ebs: Params, device: string, name: string, kind: Kind): void {
  const iops = integer(ebs, 'Iops');
  if (iops === undefined) {
    if (kind.iopsRequired) throw invalidCombination(`The parameter iops must be specified for ${name} volumes.`);
    return;
  }
  if (kind.iops === undefined) throw invalidCombination(`The parameter iops is not supported for ${name} volumes.`);
  if (outside(kind.iops, iops)) throw outOfRange('iops', iops, kind.iops);
  const size = integer(ebs, 'VolumeSize') ?? (device === rootDevice ? rootGib : undefined);
  const most = kind.iopsPerGib ?? Number.POSITIVE_INFINITY;
  if (size !== undefined && iops > Math.max(kind.usualIops ?? 0, size * most))
    throw invalidParameter(`Iops to volume size ratio of ${iops / size} is too high; the maximum is ${most}.`);
}

function outside([least, most]: readonly [number, number], value: number): boolean {
  return value < least || value > most;
}

function outOfRange(name: string, value: number, [least, most]: readonly [number, number]): AwsError {
  return invalidParameter(`Invalid value '${value}' for ${name}: it must be between ${least} and ${most}.`);
}

function invalidMapping(message: string): AwsError {
  return new AwsError('InvalidBlockDeviceMapping', message);
}
