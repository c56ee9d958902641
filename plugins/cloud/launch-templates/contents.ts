import { createHash } from 'node:crypto';
import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** A hash of the contents, independent of the order of the fields. */
export const contentOf = (data: RequestLaunchTemplateData): string => digest(canonical(data));

/** JSON with sorted fields, so that equal contents have equal texts. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${fields
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`)
    .join(',')}}`;
}
