import type { ProviderFault } from '../../../core/index.ts';

const codes: ReadonlySet<string> = new Set(['UnauthorizedOperation', 'AccessDenied', 'AccessDeniedException']);

/** Whether the identity lacks a permission for the call. */
export const isDenied = ({ code }: ProviderFault): boolean => codes.has(code);
