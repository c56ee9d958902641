import { createHash } from 'node:crypto';

/**
 * Whether a text has the form of an image id. AWS gives 8 or 17 hexadecimal digits; fewer are accepted here, so that
 * examples stay readable.
 */
export function isImageId(text: string): boolean {
  return /^ami-[0-9a-f]{1,17}$/.test(text);
}

/** Whether an image id names a Systems Manager parameter. */
export function isImageAlias(imageId: string): boolean {
  return imageId.startsWith('resolve:ssm:');
}

/** The image id of the parameter, derived from its name. */
export function imageOfAlias(alias: string): string {
  return `ami-0${hexOf(alias)}`;
}

/** The id of the snapshot from which the root volume of an image is made, derived from the image's id. */
export function snapshotOf(imageId: string): string {
  return `snap-0${hexOf(imageId)}`;
}

function hexOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
