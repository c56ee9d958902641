import { isObject } from '../../../core/index.ts';

/** Tags as `k=v;k=v`. */
export const tagText = (tags: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(tags ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(';');

/** Tags from `k=v;k=v` or an object; each pair is split at the first `=`. Undefined for other values. */
export function tagsFrom(given: unknown): Record<string, string> | undefined {
  if (isObject(given)) return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
  if (typeof given !== 'string') return undefined;
  const pairs = given
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );
}
