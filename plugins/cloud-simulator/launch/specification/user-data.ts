import { AwsError, invalidParameter } from '../../wire/errors.ts';

const maxBytes = 16_384;

/** Refuses user data that is not base64, or larger than 16 KB once decoded. */
export function checkUserData(encoded: string | undefined): void {
  if (encoded === undefined) return;
  const compact = encoded.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 === 1) {
    throw new AwsError('InvalidUserData.Malformed', 'Invalid BASE64 encoding of user data.');
  }
  if (Buffer.byteLength(compact, 'base64') > maxBytes)
    throw invalidParameter(`User data is limited to ${maxBytes} bytes`);
}
