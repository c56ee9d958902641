import type { LaunchTemplateBlockDeviceMappingRequest } from '@aws-sdk/client-ec2';
import { Type, type Static } from 'typebox';

/** The properties of a volume that the root volume and the additional volumes share. */
const shared = {
  iops: Type.Optional(Type.Integer({ minimum: 100, maximum: 256_000, description: 'I/O operations a second.' })),
  throughput: Type.Optional(
    Type.Integer({ minimum: 125, maximum: 2_000, description: 'Throughput in MiB a second; for gp3 only.' }),
  ),
  encrypted: Type.Optional(
    Type.Boolean({
      description: 'Whether the volume is encrypted. Default: as the image, the snapshot or the account has it.',
      aliases: ['storage_encryption'],
    }),
  ),
  kms_key_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: 'KMS key of the encryption: an id, an ARN or `alias/…`. It implies `encrypted`.',
      aliases: ['encryption_key'],
    }),
  ),
};

const volumeTypes = ['gp2', 'gp3', 'io1', 'io2', 'standard', 'st1', 'sc1'] as const;

/** The most volumes of a machine in EC2, without the root volume. */
const maxVolumes = 127;

const Volume = Type.Object(
  {
    device: Type.String({ minLength: 1, maxLength: 64, description: 'Device name, such as `/dev/sdf`.' }),
    size: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65_536, description: 'Size in GiB. Default: that of the snapshot.' }),
    ),
    type: Type.Optional(Type.Enum([...volumeTypes], { description: 'Type of the volume. Default: gp2.' })),
    ...shared,
    snapshot_id: Type.Optional(Type.String({ minLength: 1, description: 'Snapshot to start from.' })),
    delete_on_termination: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether the volume is deleted with its machine.' }),
    ),
  },
  { additionalProperties: false },
);
export type Volume = Static<typeof Volume>;

/** The fields of a template that describe volumes. */
export const volumeFields = {
  root_volume_size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65_536,
      description: 'Size of the root volume in GiB.',
      aliases: ['root_device_volume_size', 'machine_disk_size_gb'],
    }),
  ),
  volume_type: Type.Optional(
    Type.Enum([...volumeTypes], { description: 'Type of the root volume.', aliases: ['machine_disk_type'] }),
  ),
  iops: ofRoot(shared.iops, 'I/O operations a second of the root volume.'),
  throughput: ofRoot(shared.throughput, 'Throughput of the root volume in MiB a second; for gp3 only.'),
  encrypted: ofRoot(
    shared.encrypted,
    'Whether the root volume is encrypted. Default: as the image or the account has it.',
  ),
  kms_key_id: ofRoot(
    shared.kms_key_id,
    'KMS key of the root volume: an id, an ARN or `alias/…`. It implies `encrypted`.',
  ),
  volumes: Type.Optional(
    Type.Array(Volume, {
      maxItems: maxVolumes,
      description: 'Volumes beside the root volume.',
      aliases: ['additional_volumes'],
    }),
  ),
};

function ofRoot<Schema extends object>(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

interface RootVolumeFields {
  readonly root_volume_size?: number;
  readonly volume_type?: Volume['type'];
  readonly iops?: number;
  readonly throughput?: number;
  readonly encrypted?: boolean;
  readonly kms_key_id?: string;
}

/** The root volume as a template describes it, without its device; undefined when no field describes it. */
export function rootVolumeOf(template: RootVolumeFields): Omit<Volume, 'device'> | undefined {
  const { root_volume_size: size, volume_type: type, iops, throughput, encrypted, kms_key_id } = template;
  const given = Object.entries({ size, type, iops, throughput, encrypted, kms_key_id });
  const described = given.filter(([, value]) => value !== undefined);
  return described.length === 0 ? undefined : Object.fromEntries(described);
}

/** A volume in the form that RunInstances and launch templates share. */
export function deviceMapping(volume: Volume): LaunchTemplateBlockDeviceMappingRequest {
  const { device, size, type, iops, throughput, encrypted, kms_key_id, snapshot_id } = volume;
  // EC2 refuses a key of a volume that is not declared as encrypted.
  const isEncrypted = encrypted ?? (kms_key_id === undefined ? undefined : true);
  return {
    DeviceName: device,
    Ebs: {
      ...(size === undefined ? {} : { VolumeSize: size }),
      ...(type === undefined ? {} : { VolumeType: type }),
      ...(iops === undefined ? {} : { Iops: iops }),
      ...(throughput === undefined ? {} : { Throughput: throughput }),
      ...(isEncrypted === undefined ? {} : { Encrypted: isEncrypted }),
      ...(kms_key_id === undefined ? {} : { KmsKeyId: kms_key_id }),
      ...(snapshot_id === undefined ? {} : { SnapshotId: snapshot_id }),
      DeleteOnTermination: volume.delete_on_termination ?? true,
    },
  };
}
