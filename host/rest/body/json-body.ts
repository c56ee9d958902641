import { isUtf8 } from 'node:buffer';
import { BrokerError } from '../../../core/contract/errors.ts';

/** Maximum depth of nesting: deeper than any valid input, and far below the depth that exhausts the stack. */
const maxDepth = 64;

/**
 * Maximum number of values and of fields: more than any call needs. A return names 10 000 machines, and a thousand
 * provider entries have ten fields each. An entry costs about a hundred times its bytes; a field with a unique name
 * costs most.
 */
const maxEntries = 50_000;
const maxFields = 15_000;
/** Maximum size in bytes of a body over TCP. */
export const largestBody = 1024 * 1024;

export interface BodyBounds {
  /**
   * Whether the caller is the owner of the server: then the body may be as large as its route allows and have any
   * number of values.
   */
  readonly local?: boolean;
}

/**
 * Parses a JSON body; undefined when the body is empty. Throws INVALID_REQUEST for a body that is not JSON in UTF-8,
 * is nested too deeply or has too many values; PAYLOAD_TOO_LARGE for a body that is too large.
 */
export function parseBody(body: Buffer, { local = false }: BodyBounds = {}): unknown {
  if (body.length === 0) return undefined;
  if (!local && body.length > largestBody)
    throw new BrokerError('PAYLOAD_TOO_LARGE', 'The body is larger than 1 MiB.');
  if (!isUtf8(body)) throw new BrokerError('INVALID_REQUEST', 'The body is not valid UTF-8.');
  const text = body.toString();
  if (text.trim() === '') return undefined;
  // Checked before parsing: creating the objects takes the time.
  const { deep, many } = text.length > 2 * maxDepth ? shapeOf(text) : { deep: false, many: false };
  if (deep) throw new BrokerError('INVALID_REQUEST', `The body is nested more than ${maxDepth} levels deep.`);
  if (many && !local)
    throw new BrokerError('INVALID_REQUEST', `The body has more than ${maxFields} fields or ${maxEntries} entries.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new BrokerError('INVALID_REQUEST', `The body is not valid JSON: ${reason(cause)}.`, {}, { cause });
  }
  return value;
}

/** The message of V8 without its excerpt of the text. */
function reason(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.replace(/, ?(\.\.\.)?".*is not valid JSON$/s, '').replace(/ \(line \d+ column \d+\)$/, '');
}

/** Counts, outside of strings: open brackets, colons (one per field) and commas (one per further field or entry). */
function shapeOf(text: string): { readonly deep: boolean; readonly many: boolean } {
  let depth = 0;
  let fields = 0;
  let entries = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i += 1;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x2c) entries += 1;
    else if (char === 0x3a) fields += 1;
    else if (char === 0x5b || char === 0x7b) {
      depth += 1;
      if (depth > maxDepth) return { deep: true, many: false };
    } else if (char === 0x5d || char === 0x7d) depth -= 1;
  }
  return { deep: false, many: fields > maxFields || entries > maxEntries };
}
