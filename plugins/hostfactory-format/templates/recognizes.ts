import { isObject } from '../../../core/index.ts';

/** Keys that only HostFactory providers write. */
const distinctiveKeys = [
  'vmType',
  'vmTypes',
  'maxNumber',
  'instanceTags',
  'subnetId',
  'priceType',
  'userDataScript',
  'ec2FleetConfig',
];

/**
 * Whether a file has the HostFactory form: it names its scheduler type, or its file name or the keys of its templates
 * show it.
 */
export function recognizes(file: unknown, name: string): boolean {
  if (isObject(file) && file['scheduler_type'] !== undefined) return file['scheduler_type'] === 'hostfactory';
  if (/prov_templates\.(json|ya?ml)$/.test(name)) return true;
  const list = templatesIn(file);
  return list.some((template) => isObject(template) && distinctiveKeys.some((key) => Object.hasOwn(template, key)));
}

/** The templates of a file: a list, or a list under `templates` (one vendor writes `Templates`). */
export function templatesIn(file: unknown): readonly unknown[] {
  if (Array.isArray(file)) return file;
  const list = isObject(file) ? (file['templates'] ?? file['Templates']) : undefined;
  return Array.isArray(list) ? list : [];
}
