import { createHash } from 'node:crypto';

/** Whether an image id names a Systems Manager parameter. */
export function isImageAlias(imageId: string): boolean {
  return imageId.startsWith('resolve:ssm:');
}

/** The image id of the parameter, derived from its name. */
export function imageOfAlias(alias: string): string {
  return `ami-0${createHash('sha256').update(alias).digest('hex').slice(0, 16)}`;
}
