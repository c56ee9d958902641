import type { RequestRecord } from '../../../core/index.ts';

/**
 * The message of a request. A message about an error of the cloud ends with `Error Code: <code>`, by which callers
 * disable a template.
 */
export function messageOf({ message, fulfilment }: RequestRecord): string {
  const code = fulfilment?.shortfall[0]?.code;
  if (code === undefined || /Error Code: \S+$/.test(message)) return message;
  return `${message.replace(/[.\s]*$/, '')}. Error Code: ${code}`;
}
