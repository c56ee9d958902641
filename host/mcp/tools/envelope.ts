import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { codes, type Code } from '../../../core/contract/errors.ts';
import { asSdkError } from '../../sdk/errors.ts';
import { mask, soundsSecret } from '../../../core/schema/redact.ts';

/** The result of a successful operation. */
export const success = (tool: string, data: unknown): CallToolResult => envelope({ success: true, data, tool });

/**
 * The result of a failed operation: `type` is the class of the SDK's error, `code` a code of the error table, `remedy`
 * what to do or to call next.
 */
export function failure(tool: string, given: Readonly<Record<string, unknown>>, reason: unknown): CallToolResult {
  const { name, message, code, details } = asSdkError(reason);
  const more = Object.keys(details).length > 0 ? { details } : {};
  return {
    ...envelope({
      error: { type: name, message, tool, arguments: maskSecrets(given), code, ...remedyOf(code), ...more },
    }),
    isError: true,
  };
}

const remedyOf = (code: string): { readonly remedy?: string } => (isCode(code) ? { remedy: codes[code].remedy } : {});

const isCode = (code: string): code is Code => code in codes;

/** The content as structured data, and as text for clients that read only text. */
const envelope = (content: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(content) }],
  structuredContent: content,
});

/**
 * Returns a copy in which values whose names suggest a secret, at any depth, and passwords in URLs are masked: for
 * arguments that are echoed to the caller.
 */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/(?<=\w:\/\/)[^/\s]+@/g, `${mask}@`);
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      soundsSecret(name) && each !== null ? mask : maskSecrets(each),
    ]),
  );
}
