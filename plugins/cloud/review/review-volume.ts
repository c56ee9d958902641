import type { Finding } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { rootVolumeOf, type Volume } from '../template/volumes.ts';

type Bounds = readonly [least: number, most: number];

/** What EC2 allows for a volume type. */
interface VolumeKind {
  /** GiB. */
  readonly size: Bounds;
  /** I/O operations a second. Absent: the type takes no number. */
  readonly iops?: Bounds;
  readonly needsIops?: true;
  /** The most I/O operations for each GiB, beyond those that a volume of any size may have. */
  readonly iopsPerGib?: number;
  readonly anySizeIops?: number;
  /** MiB a second. Absent: the type takes no number. */
  readonly throughput?: Bounds;
}

/** The I/O operations of a gp3 volume that names none, and the most MiB a second for each of them. */
const usualIops = 3_000;
const throughputPerIops = 0.25;

const kinds: Readonly<Record<string, VolumeKind>> = {
  gp2: { size: [1, 16_384] },
  gp3: { size: [1, 65_536], iops: [3_000, 80_000], iopsPerGib: 500, anySizeIops: usualIops, throughput: [125, 2_000] },
  io1: { size: [4, 16_384], iops: [100, 64_000], needsIops: true, iopsPerGib: 50 },
  io2: { size: [4, 65_536], iops: [100, 256_000], needsIops: true, iopsPerGib: 1_000 },
  st1: { size: [125, 16_384] },
  sc1: { size: [125, 16_384] },
  standard: { size: [1, 1_024] },
};
/** Where the fields of a volume are in a template. */
interface Paths {
  readonly size: string;
  readonly type: string;
  readonly iops: string;
  readonly throughput: string;
  readonly kms_key_id: string;
}

const rootPaths: Paths = {
  size: '/root_volume_size',
  type: '/volume_type',
  iops: '/iops',
  throughput: '/throughput',
  kms_key_id: '/kms_key_id',
};
const rootNames = { size: 'root_volume_size', type: 'volume_type' };
const ownNames = { size: 'size', type: 'type' };

/** Reports what EC2 would refuse for the volumes of a template. */
export function reviewVolumes(template: CloudTemplate): Finding[] {
  const root = rootVolumeOf(template);
  const { volumes = [] } = template;
  return [
    ...(root !== undefined && template.image_id === undefined
      ? [{ level: 'error' as const, path: '/image_id', message: 'is needed to describe the root volume' }]
      : []),
    ...(root === undefined ? [] : volumeFindings(root, rootPaths, rootNames)),
    ...volumes.flatMap((volume, index) => reviewAdditional(volume, index, volumes)),
  ];
}

function reviewAdditional(volume: Volume, index: number, all: readonly Volume[]): Finding[] {
  const at = `/volumes/${index}`;
  const findings: Finding[] = [];
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });
  if (all.slice(0, index).some(({ device }) => device === volume.device))
    error(`${at}/device`, `'${volume.device}' is repeated; each volume needs a device name of its own`);
  if (volume.size === undefined && volume.snapshot_id === undefined)
    error(`${at}/size`, 'is needed, unless snapshot_id names a snapshot');
  const paths = Object.fromEntries(Object.keys(rootPaths).map((name) => [name, `${at}/${name}`]));
  return [...findings, ...volumeFindings(volume, paths as unknown as Paths, ownNames)];
}

function volumeFindings(
  { size, type, iops, throughput, encrypted, kms_key_id }: Omit<Volume, 'device'>,
  paths: Paths,
  names: { readonly size: string; readonly type: string },
): Finding[] {
  const findings: Finding[] = [];
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });
  const kind = kinds[type ?? ''];
  if (iops !== undefined && !kind?.iops) error(paths.iops, `needs ${names.type} io1, io2 or gp3`);
  if (iops !== undefined && kind?.iops && !isWithin(iops, kind.iops))
    error(paths.iops, `must be from ${kind.iops[0]} to ${kind.iops[1]} with ${names.type} ${type}`);
  else if (iops !== undefined && size !== undefined && iops > mostIops(kind, size))
    error(paths.iops, `must be at most ${kind?.iopsPerGib} for each GiB of ${names.size} with ${names.type} ${type}`);
  if (kind?.needsIops && iops === undefined) error(paths.iops, `is needed with ${names.type} ${type}`);
  if (size !== undefined && kind && !isWithin(size, kind.size))
    error(paths.size, `must be from ${kind.size[0]} to ${kind.size[1]} GiB with ${names.type} ${type}`);
  if (throughput !== undefined && !kind?.throughput) error(paths.throughput, `needs ${names.type} gp3`);
  if (throughput !== undefined && kind?.throughput && throughput > (iops ?? usualIops) * throughputPerIops)
    error(
      paths.throughput,
      `needs iops of at least ${Math.ceil(throughput / throughputPerIops)}: gp3 has at most ${throughputPerIops} MiB a second for each I/O operation`,
    );
  if (kms_key_id !== undefined && encrypted === false)
    error(paths.kms_key_id, 'needs encrypted: true; remove the key, or encrypted: false');
  return findings;
}

const mostIops = (kind: VolumeKind | undefined, gib: number): number =>
  Math.max(kind?.anySizeIops ?? 0, gib * (kind?.iopsPerGib ?? Infinity));

const isWithin = (value: number, [least, most]: Bounds): boolean => value >= least && value <= most;
