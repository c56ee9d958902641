import { isObject } from '../../../core/index.ts';

/** Keys that only HostFactory's providers write. */
const telling = [
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
 * Whether a file is of HostFactory's dialect: it says so, its name does, or its templates have keys that only
 * HostFactory's providers write.
 */
export function recognises(file: unknown, name: string): boolean {
  if (isObject(file) && file['scheduler_type'] !== undefined) return file['scheduler_type'] === 'hostfactory';
  if (/prov_templates\.(json|ya?ml)$/.test(name)) return true;
  const list = templatesIn(file);
  return list.some((template) => isObject(template) && telling.some((key) => Object.hasOwn(template, key)));
}

/** The templates of a file: a list, or a list under `templates` (one maker writes `Templates`). */
export function templatesIn(file: unknown): readonly unknown[] {
  if (Array.isArray(file)) return file;
  const list = isObject(file) ? (file['templates'] ?? file['Templates']) : undefined;
  return Array.isArray(list) ? list : [];
}
