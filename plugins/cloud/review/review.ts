import type { Finding } from '../../../core/index.ts';
import { marketsOf } from '../launch/pools.ts';
import { reviewReservation } from '../template/capacity-reservation.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { reviewIds } from './review-ids.ts';
import { reviewLists } from './review-lists.ts';
import { nativeMachine, reviewNative, type NativeField } from './review-native.ts';
import { reviewMarket } from './review-market.ts';
import { reviewVolumes } from './review-volume.ts';
import { reviewInterfaceFields } from '../template/interfaces.ts';
import { reviewTags } from '../template/tags.ts';
import { reviewUserData } from '../template/user-data.ts';

/** The parts of a template that a provider API uses. */
export interface ReviewScope {
  /** Native specifications of the machines. Default: that of the launch template. */
  readonly machine?: readonly NativeField[];
  /** Whether the native specification of the call names the image or the types, so that the template may omit them. */
  readonly names?: readonly ('image' | 'type')[];
  /** Fields of other APIs that this API supports too. */
  readonly knows?: readonly string[];
}

/** Fields that only some APIs support; others ignore them. */
const apiFields = ['fleet_role', 'spot_fleet_request_expiry'];

/** Reports what no provider API of the cloud can honor in a template. */
export function reviewCommon(
  template: CloudTemplate,
  { machine = ['launch_template_spec'], names = [], knows = [] }: ReviewScope = {},
): Finding[] {
  const { tags, user_data, image_id, launch_template_id } = template;
  const findings = [
    ...reviewTags(tags),
    ...reviewUserData(user_data),
    ...reviewLists(template),
    ...reviewIds(template),
    ...reviewVolumes(template),
    ...reviewInterfaceFields(template),
    ...reviewMarket(template),
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
  if (template.launch_template_version !== undefined && launch_template_id === undefined)
    warning('/launch_template_version', 'has no effect without launch_template_id');
  for (const type of Object.keys(template.machine_types_priority ?? {})) {
    if (template.machine_types?.[type] === undefined && template.machine_types_on_demand?.[type] === undefined)
      warning(`/machine_types_priority/${type}`, 'is not among machine_types');
  }
  const { launch_template_spec } = template;
  const namesMarket = launch_template_id !== undefined || launch_template_spec !== undefined;
  if (template['on_rebalance'] === 'replace' && !namesMarket && !marketsOf(template).includes('spot'))
    warning('/on_rebalance', 'has no effect without Spot machines; AWS recommends to replace no others');
  for (const field of apiFields)
    if (template[field] !== undefined && !knows.includes(field))
      warning(`/${field}`, 'has no effect; it is for SpotFleet');
  return findings;
}

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
