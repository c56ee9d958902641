import type { Owner } from '../../core/index.ts';

const fields = ['host', 'boot', 'pid', 'started', 'thread'] as const;

export const isSame = (a: Owner, b: Owner): boolean => fields.every((field) => a[field] === b[field]);
