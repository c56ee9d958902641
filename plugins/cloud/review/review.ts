import type { Finding } from '../../../core/index.ts';
import { reviewReservation } from '../template/capacity-reservation.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { reviewIds } from './review-ids.ts';
import { reviewLists } from './review-lists.ts';
import { nativeMachine, reviewNative, type NativeField } from './review-native.ts';
import { reviewVolume } from './review-volume.ts';
import { reviewTags } from '../template/tags.ts';
import { reviewUserData } from '../template/user-data.ts';

/** What an API takes of a template. */
export interface Taken {
  /** Native specifications that describe the machines. Default: that of the launch template. */
  readonly machine?: readonly NativeField[];
  /** The native specification of the call names its own launch templates, or types, so that the template need not. */
  readonly names?: readonly ('image' | 'type')[];
  /** Fields of other APIs that this one knows as well. */
  readonly knows?: readonly string[];
}

/** Fields that only some APIs know; others do not look at them. */
const particular = ['fleet_role', 'spot_fleet_request_expiry'];

/** What no API of the cloud can honour in a template. Pure. */
export function reviewCommon(
  template: CloudTemplate,
  { machine = ['launch_template_spec'], names = [], knows = [] }: Taken = {},
): Finding[] {
  const { tags, user_data, image_id, launch_template_id, max_price } = template;
  const findings = [
    ...reviewTags(tags),
    ...reviewUserData(user_data),
    ...reviewLists(template),
    ...reviewIds(template),
    ...reviewVolume(template),
    ...reviewReservation(template),
    ...reviewNative(template, machine),
  ];
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });
  const warning = (path: string, message: string) => findings.push({ level: 'warning', path, message });

  const native = nativeMachine(template, machine);
  if (image_id === undefined && launch_template_id === undefined && !('ImageId' in native) && !names.includes('image'))
    error('/image_id', 'is needed, unless a launch template names the image');
  if (!namesType(template) && !('InstanceType' in native) && !names.includes('type'))
    error('/machine_type', 'is needed, unless a launch template or attributes name the types');
  if (template.machine_type !== undefined && Object.keys(template.machine_types ?? {}).length > 0) {
    warning('/machine_type', 'is not used beside machine_types');
  }
  const spot =
    template.price_type === 'spot' || template.price_type === 'mixed' || template.price_type === 'heterogeneous';
  if (max_price !== undefined && !spot) warning('/max_price', 'has no effect without price_type spot or mixed');
  if (max_price !== undefined && Number(max_price) <= leastPrice)
    error('/max_price', `must be more than ${leastPrice}`);
  if (template.percent_on_demand !== undefined && !spot)
    warning('/percent_on_demand', 'has no effect without price_type spot or mixed');
  if (template.launch_template_version !== undefined && launch_template_id === undefined)
    warning('/launch_template_version', 'has no effect without launch_template_id');
  for (const type of Object.keys(template.machine_types_priority ?? {})) {
    if (template.machine_types?.[type] === undefined)
      warning(`/machine_types_priority/${type}`, 'is not among machine_types');
  }
  for (const field of particular)
    if (template[field] !== undefined && !knows.includes(field))
      warning(`/${field}`, 'has no effect; it is for SpotFleet');
  return findings;
}

/** US dollars that EC2 takes for no price. */
const leastPrice = 0.001;

const namesType = ({
  machine_type,
  machine_types,
  instance_requirements,
  launch_template_id,
}: CloudTemplate): boolean =>
  machine_type !== undefined ||
  Object.keys(machine_types ?? {}).length > 0 ||
  instance_requirements !== undefined ||
  launch_template_id !== undefined;
