import type { Finding } from '../../../core/index.ts';

/** Keys that other providers support and this one ignores, each with what to do instead. */
const ignored: Readonly<Record<string, string>> = {
  durationInHours: 'the cloud no longer offers Spot machines for a fixed time; remove it',
};

/** Reports keys that other providers support and this one ignores. */
export const keysWithoutEffect = (raw: Readonly<Record<string, unknown>>): readonly Finding[] =>
  Object.entries(ignored).flatMap(([key, message]): Finding[] =>
    isSet(raw[key]) ? [{ level: 'warning', path: `/${key}`, message: `has no effect here: ${message}` }] : [],
  );

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && value !== 0 && value !== '0';
