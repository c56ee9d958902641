import type { Finding } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';

type Bounds = readonly [least: number, most: number];

/** The size range of each volume type in GiB. */
const sizes: Readonly<Record<string, Bounds>> = {
  gp2: [1, 16_384],
  gp3: [1, 65_536],
  io1: [4, 16_384],
  io2: [4, 65_536],
  st1: [125, 16_384],
  sc1: [125, 16_384],
  standard: [1, 1024],
};
/** The range of I/O operations of the volume types that accept a number of them. */
const operations: Readonly<Record<string, Bounds>> = { gp3: [3_000, 80_000], io1: [100, 64_000], io2: [100, 256_000] };

/** Reports what EC2 would refuse for the root volume. */
export function reviewVolume({ image_id, root_volume_size: size, volume_type: type, iops }: CloudTemplate): Finding[] {
  const findings: Finding[] = [];
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });
  if (image_id === undefined && (size !== undefined || type !== undefined || iops !== undefined))
    error('/image_id', 'is needed to describe the root volume');
  const most = operations[type ?? ''];
  if (iops !== undefined && !most) error('/iops', 'needs volume_type io1, io2 or gp3');
  if (iops !== undefined && most && !isWithin(iops, most))
    error('/iops', `must be from ${most[0]} to ${most[1]} with volume_type ${type}`);
  if ((type === 'io1' || type === 'io2') && iops === undefined) error('/iops', `is needed with volume_type ${type}`);
  const range = sizes[type ?? ''];
  if (size !== undefined && range && !isWithin(size, range))
    error('/root_volume_size', `must be from ${range[0]} to ${range[1]} GiB with volume_type ${type}`);
  return findings;
}

const isWithin = (value: number, [least, most]: Bounds): boolean => value >= least && value <= most;
