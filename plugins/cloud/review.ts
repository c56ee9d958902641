import type { Finding } from '../../core/index.ts';
import type { CloudTemplate } from './fields.ts';
import { reviewTags } from './tags.ts';
import { reviewUserData } from './user-data.ts';

/** Volume types that take a number of I/O operations. */
const provisioned: ReadonlySet<string> = new Set(['io1', 'io2', 'gp3']);

/** What no API of the cloud can honour in a template. Pure. */
export function reviewCommon(template: CloudTemplate): Finding[] {
  const { tags, user_data, image_id, launch_template_id, root_volume_size, volume_type, iops, max_price } = template;
  const findings = [...reviewTags(tags), ...reviewUserData(user_data)];
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });
  const warning = (path: string, message: string) => findings.push({ level: 'warning', path, message });

  const native = { ...template.launch_template_spec, ...template.provider_api_spec };
  if (image_id === undefined && launch_template_id === undefined && !('ImageId' in native))
    error('/image_id', 'is needed, unless a launch template names the image');
  if (!namesType(template) && !('InstanceType' in native))
    error('/machine_type', 'is needed, unless a launch template or attributes name the types');
  if (template.machine_type !== undefined && Object.keys(template.machine_types ?? {}).length > 0) {
    warning('/machine_type', 'is not used beside machine_types');
  }
  if (image_id === undefined && (root_volume_size !== undefined || volume_type !== undefined || iops !== undefined)) {
    error('/image_id', 'is needed to describe the root volume');
  }
  if (iops !== undefined && !provisioned.has(volume_type ?? '')) error('/iops', 'needs volume_type io1, io2 or gp3');
  if ((volume_type === 'io1' || volume_type === 'io2') && iops === undefined) error('/iops', `is needed with volume_type ${volume_type}`);
  const spot = template.price_type === 'spot' || template.price_type === 'mixed' || template.price_type === 'heterogeneous';
  if (max_price !== undefined && !spot) warning('/max_price', 'has no effect without price_type spot or mixed');
  if (template.percent_on_demand !== undefined && !spot) warning('/percent_on_demand', 'has no effect without price_type spot or mixed');
  if (template.launch_template_version !== undefined && launch_template_id === undefined)
    warning('/launch_template_version', 'has no effect without launch_template_id');
  for (const type of Object.keys(template.machine_types_priority ?? {})) {
    if (template.machine_types?.[type] === undefined) warning(`/machine_types_priority/${type}`, 'is not among machine_types');
  }
  return findings;
}

const namesType = ({ machine_type, machine_types, instance_requirements, launch_template_id }: CloudTemplate): boolean =>
  machine_type !== undefined ||
  Object.keys(machine_types ?? {}).length > 0 ||
  instance_requirements !== undefined ||
  launch_template_id !== undefined;
