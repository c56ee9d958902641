import { isFault, type CheckedTemplate, type CheckResult } from '../../../core/index.ts';
import { isDenied } from '../faults/denied.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { policyPage } from './policy-page.ts';

export const ok = (message: string): CheckResult => ({ level: 'ok', message });
export const warning = (message: string, remedy?: string): CheckResult => ({
  level: 'warning',
  message,
  ...(remedy === undefined ? {} : { remedy }),
});
export const error = (message: string, remedy?: string): CheckResult => ({
  level: 'error',
  message,
  ...(remedy === undefined ? {} : { remedy }),
});

/** The templates of a check with the fields of the cloud. */
export const cloudTemplates = (templates: readonly CheckedTemplate[]): readonly CloudTemplate[] =>
  templates.map(({ template }) => template as CloudTemplate);

/** `1 subnet`, `3 subnets` */
export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** `template 'small'`, `templates 'small', 'large' and 3 others` */
export function named(templates: readonly CloudTemplate[]): string {
  const ids = templates.map(({ template_id }) => `'${template_id}'`);
  const shown = ids.slice(0, 3).join(', ');
  const others = ids.length > 3 ? ` and ${ids.length - 3} others` : '';
  return `template${ids.length === 1 ? '' : 's'} ${shown}${others}`;
}

/** The templates that use each value, such as a subnet. */
export function usersOf<T extends string>(
  templates: readonly CloudTemplate[],
  valuesOf: (template: CloudTemplate) => Iterable<T>,
): ReadonlyMap<T, readonly CloudTemplate[]> {
  const users = new Map<T, CloudTemplate[]>();
  for (const template of templates)
    for (const value of new Set(valuesOf(template))) users.set(value, [...(users.get(value) ?? []), template]);
  return users;
}

/** A check that the identity may not make is a warning; other faults pass. */
export async function unlessDenied(
  what: string,
  permission: string,
  check: () => Promise<readonly CheckResult[]>,
): Promise<readonly CheckResult[]> {
  try {
    return await check();
  } catch (fault) {
    if (!isFault(fault) || !isDenied(fault)) throw fault;
    return [
      warning(
        `${what} cannot be checked: the permission ${permission} is missing.`,
        `Grant ${permission}; ${policyPage()} has the whole policy.`,
      ),
    ];
  }
}
