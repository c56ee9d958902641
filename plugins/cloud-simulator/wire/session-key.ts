import { createHash } from 'node:crypto';
import type { RandomSource } from '../random.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const form = /^ASIA([A-Z2-7]{8}[A-Z2-7]{5})([A-Z2-7]{3})$/;

/** An access key for a session of a role. It encodes the account, so that a restarted simulator still recognizes it. */
export function sessionKey(account: string, random: RandomSource): string {
  const body = spell(BigInt(account), 8) + spell(BigInt(`0x${random.hex(8)}`), 5);
  return `ASIA${body}${checkOf(body)}`;
}

/** The account of a key that `sessionKey` made, in any process; undefined for all other keys. */
export function accountOfSessionKey(accessKey: string): string | undefined {
  const found = form.exec(accessKey);
  if (found === null || checkOf(found[1] as string) !== found[2]) return undefined;
  let account = 0n;
  for (const letter of (found[1] as string).slice(0, 8)) account = account * 32n + BigInt(letters.indexOf(letter));
  return String(account).padStart(12, '0');
}

// The checksum distinguishes these keys from real temporary keys of AWS.
function checkOf(body: string): string {
  return spell(BigInt(createHash('sha256').update(body).digest().readUInt32BE(0)), 3);
}

/** The lowest digits of a number in base 32. */
function spell(number: bigint, digits: number): string {
  let text = '';
  for (let rest = number; text.length < digits; rest /= 32n) text = letters.charAt(Number(rest % 32n)) + text;
  return text;
}
