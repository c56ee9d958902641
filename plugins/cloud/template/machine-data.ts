import type {
  BlockDeviceMapping,
  CapacityReservationSpecification,
  IamInstanceProfileSpecification,
} from '@aws-sdk/client-ec2';
import { ProviderFault, type Call } from '../../../core/index.ts';
import { capacityReservationOf } from './capacity-reservation.ts';
import { redacted } from '../faults/redacted.ts';
import type { CloudTemplate } from './fields.ts';
import { imageIdOf } from './image-parameter.ts';
import { type Memo, once } from '../connection/once.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';
import { userDataOf } from './user-data.ts';

/**
 * The properties of a machine, in the parameters that RunInstances and launch templates share. A property that the
 * template does not set is absent.
 */
export interface MachineSpec {
  readonly ImageId?: string;
  readonly KeyName?: string;
  readonly SecurityGroupIds?: readonly string[];
  readonly UserData?: string;
  readonly IamInstanceProfile?: IamInstanceProfileSpecification;
  readonly BlockDeviceMappings?: readonly BlockDeviceMapping[];
  readonly CapacityReservationSpecification?: CapacityReservationSpecification;
}

/**
 * Derives the properties of machines from a template. It calls the cloud only for an image that a parameter names, and
 * for the root device name of the image when the template describes a volume.
 */
export async function machineSpecOf(session: CloudSession, template: CloudTemplate, call: Call): Promise<MachineSpec> {
  const { key_name, security_group_ids, user_data, instance_profile } = template;
  const UserData = userDataOf(user_data);
  const image = template.image_id === undefined ? undefined : await imageIdOf(session, template.image_id, call);
  const root = await rootVolume(session, template, image, call);
  const reservation = capacityReservationOf(template);
  return {
    ...(image === undefined ? {} : { ImageId: image }),
    ...(key_name === undefined ? {} : { KeyName: key_name }),
    ...(security_group_ids?.length ? { SecurityGroupIds: security_group_ids } : {}),
    ...(UserData === undefined ? {} : { UserData }),
    ...(instance_profile === undefined ? {} : { IamInstanceProfile: profileOf(instance_profile) }),
    ...(root === undefined ? {} : { BlockDeviceMappings: [root] }),
    ...(reservation === undefined ? {} : { CapacityReservationSpecification: reservation }),
  };
}

const profileOf = (profile: string): IamInstanceProfileSpecification =>
  profile.startsWith('arn:') ? { Arn: profile } : { Name: profile };

async function rootVolume(
  session: CloudSession,
  { root_volume_size, volume_type, iops }: CloudTemplate,
  image: string | undefined,
  call: Call,
): Promise<BlockDeviceMapping | undefined> {
  if (root_volume_size === undefined && volume_type === undefined && iops === undefined) return undefined;
  return {
    DeviceName: await rootDevice(session, image, call),
    Ebs: {
      ...(root_volume_size === undefined ? {} : { VolumeSize: root_volume_size }),
      ...(volume_type === undefined ? {} : { VolumeType: volume_type }),
      ...(iops === undefined ? {} : { Iops: iops }),
      DeleteOnTermination: true,
    },
  };
}

const rootDevices = sessionField((): Memo<{ readonly device: string }> => new Map());

/**
 * The root device name of an image. A mapping describes the root volume only under this name; another name would add a
 * second volume.
 */
async function rootDevice(session: CloudSession, image: string | undefined, call: Call): Promise<string> {
  if (image === undefined)
    throw new ProviderFault('invalid', 'root_volume_size, volume_type and iops need an image_id. Set image_id.');
  const { device } = await once(rootDevices(session), image, async () => {
    const { Images } = await session.read((ec2) => new ec2.DescribeImagesCommand({ ImageIds: [image] }), call);
    const found = Images?.[0];
    if (found) return { device: found.RootDeviceName || '/dev/xvda' };
    const code = 'InvalidAMIID.NotFound';
    throw new ProviderFault(
      'invalid',
      redacted(`Image '${image}' does not exist. Error Code: ${code}`, session.parameterValues),
      {
        code,
      },
    );
  });
  return device;
}
