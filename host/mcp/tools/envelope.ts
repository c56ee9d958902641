import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { asSdkError } from '../../sdk/errors.ts';
import { mask, soundsSecret } from '../../../core/schema/redact.ts';

/** What an operation answered. */
export const success = (tool: string, data: unknown): CallToolResult => envelope({ success: true, data, tool });

/** Why it did not: `type` is the class of the SDK's error, `code` is of the one table of refusals. */
export function failure(tool: string, given: Readonly<Record<string, unknown>>, reason: unknown): CallToolResult {
  const { name, message, code, details } = asSdkError(reason);
  const more = Object.keys(details).length > 0 ? { details } : {};
  return {
    ...envelope({ error: { type: name, message, tool, arguments: maskSecrets(given), code, ...more } }),
    isError: true,
  };
}

/** For programs as it is, and as text for those who read only that. */
const envelope = (content: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(content) }],
  structuredContent: content,
});

/**
 * A copy without the values whose names sound like a secret, however deep, and without passwords in URLs: for what is
 * echoed to its sender.
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
