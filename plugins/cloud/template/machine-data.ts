import type {
  LaunchTemplateBlockDeviceMappingRequest,
  LaunchTemplateIamInstanceProfileSpecificationRequest,
  RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import { ProviderFault, type Call } from '../../../core/index.ts';
import { capacityReservationOf } from './capacity-reservation.ts';
import { redacted } from '../faults/redacted.ts';
import type { CloudTemplate } from './fields.ts';
import { imageIdOf } from './image-parameter.ts';
import { type Memo, once } from '../connection/once.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';
import { interfacesOf } from './interfaces.ts';
import { launchParametersOf } from './launch-fields.ts';
import { marketFacts } from '../launch/markets.ts';
import { marketsOf } from '../launch/pools.ts';
import { userDataOf } from './user-data.ts';
import { deviceMapping, rootVolumeOf } from './volumes.ts';

/**
 * The properties of a machine, in the parameters that RunInstances and launch templates share. A property that the
 * template does not set is absent.
 */
export type MachineSpec = Readonly<RequestLaunchTemplateData>;

/**
 * Derives the properties of machines from a template. It calls the cloud only for an image that a parameter names, and
 * for the root device name of the image when the template describes a volume.
 */
export async function machineSpecOf(session: CloudSession, template: CloudTemplate, call: Call): Promise<MachineSpec> {
  const { key_name, security_group_ids, user_data, instance_profile } = template;
  const UserData = userDataOf(user_data);
  const image = template.image_id === undefined ? undefined : await imageIdOf(session, template.image_id, call);
  const devices = await blockDevices(session, template, image, call);
  const interfaces = interfacesOf(template);
  const reservation = capacityReservationOf(template);
  return {
    ...(image === undefined ? {} : { ImageId: image }),
    ...(key_name === undefined ? {} : { KeyName: key_name }),
    ...(security_group_ids?.length ? { SecurityGroupIds: security_group_ids } : {}),
    ...(UserData === undefined ? {} : { UserData }),
    ...(instance_profile === undefined ? {} : { IamInstanceProfile: profileOf(instance_profile) }),
    ...(devices.length === 0 ? {} : { BlockDeviceMappings: devices }),
    ...(interfaces === undefined ? {} : { NetworkInterfaces: interfaces }),
    ...launchParametersOf(template),
    ...marketInTemplate(template),
    ...(reservation === undefined ? {} : { CapacityReservationSpecification: reservation }),
  };
}

/** The market in the machines' own parameters, where fleets and groups do not choose the market. */
function marketInTemplate(template: CloudTemplate): RequestLaunchTemplateData {
  const [first] = marketsOf(template).map(marketFacts);
  return first?.in_template && first.market_type !== undefined
    ? { InstanceMarketOptions: { MarketType: first.market_type } }
    : {};
}

const profileOf = (profile: string): LaunchTemplateIamInstanceProfileSpecificationRequest =>
  profile.startsWith('arn:') ? { Arn: profile } : { Name: profile };

/** The volumes that the template describes, the root volume first. */
async function blockDevices(
  session: CloudSession,
  template: CloudTemplate,
  image: string | undefined,
  call: Call,
): Promise<LaunchTemplateBlockDeviceMappingRequest[]> {
  const root = rootVolumeOf(template);
  const volumes = template.volumes ?? [];
  return [
    ...(root === undefined ? [] : [{ device: await rootDevice(session, image, call), ...root }]),
    ...volumes,
  ].map(deviceMapping);
}

const rootDevices = sessionField((): Memo<{ readonly device: string }> => new Map());

/**
 * The root device name of an image. A mapping describes the root volume only under this name; another name would add a
 * second volume.
 */
async function rootDevice(session: CloudSession, image: string | undefined, call: Call): Promise<string> {
  if (image === undefined)
    throw new ProviderFault('invalid', 'The fields of the root volume need an image_id. Set image_id.');
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
