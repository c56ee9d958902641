import { createHash } from 'node:crypto';

/** Equal for calls with equal parameters, whatever stands under `tokenName`. */
export function paramsHash(flat: Readonly<Record<string, string>>, tokenName: string): string {
  const keys = Object.keys(flat).filter((key) => key !== tokenName);
  const text = keys
    .toSorted()
    .map((key) => `${key}=${flat[key]}`)
    .join('\n');
  return createHash('sha256').update(text).digest().toString('hex', 0, 12);
}
