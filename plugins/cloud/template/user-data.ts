import type { Finding } from '../../../core/index.ts';

/** Bytes of user data that EC2 takes, before base64. */
const most = 16_384;

/** User data must be base64, once: the SDK does not encode, and EC2 decodes. */
export function reviewUserData(userData: string | undefined, path = '/user_data'): Finding[] {
  const error = (message: string): Finding[] => [{ level: 'error', path, message }];
  if (userData === undefined || userData === '') return [];
  const bare = userData.replace(/\s+/g, '');
  if (bare.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(bare)) return error('must be base64');
  const bytes = Buffer.from(bare, 'base64').length;
  return bytes > most ? error(`must be at most ${most} bytes before base64, not ${bytes}`) : [];
}

/** As EC2 wants it: without line breaks. */
export const userDataOf = (userData: string | undefined): string | undefined =>
  userData ? userData.replace(/\s+/g, '') : undefined;
