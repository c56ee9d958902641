import { mask, soundsSecret } from '../../../core/schema/redact.ts';

/** A copy without the values whose names sound like a secret, however deep, and without passwords in URLs: for what is echoed to its sender. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/(?<=\w:\/\/)[^/\s]+@/g, `${mask}@`);
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, soundsSecret(name) && each !== null ? mask : maskSecrets(each)]),
  );
}
