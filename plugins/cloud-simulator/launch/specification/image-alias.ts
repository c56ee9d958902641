import { createHash } from 'node:crypto';

/** Whether an image is named by a parameter of Systems Manager that holds its id. */
export function isImageAlias(imageId: string): boolean {
  return imageId.startsWith('resolve:ssm:');
}

/** The image that such a parameter holds: always the same one for the same parameter. */
export function imageOfAlias(alias: string): string {
  return `ami-0${createHash('sha256').update(alias).digest('hex').slice(0, 16)}`;
}
