import type { Finding } from '../../../core/index.ts';

/** The most bytes of user data in EC2, before base64. */
const maxBytes = 16_384;

/** Reports user data that is not base64 or is too long. The SDK does not encode it, and EC2 decodes it once. */
export function reviewUserData(userData: string | undefined, path = '/user_data'): Finding[] {
  const error = (message: string): Finding[] => [{ level: 'error', path, message }];
  if (userData === undefined || userData === '') return [];
  const bare = userData.replace(/\s+/g, '');
  if (bare.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(bare)) return error('must be base64');
  const bytes = Buffer.from(bare, 'base64').length;
  return bytes > maxBytes ? error(`must be at maxBytes ${maxBytes} bytes before base64, not ${bytes}`) : [];
}

/** The user data without line breaks, as EC2 requires. */
export const userDataOf = (userData: string | undefined): string | undefined =>
  userData ? userData.replace(/\s+/g, '') : undefined;
