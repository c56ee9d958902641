import { isUtf8 } from 'node:buffer';
import { BrokerError } from '../../../core/contract/errors.ts';

/** Deeper than anything that is meant, and far from what would exhaust a stack. */
const deepest = 64;

/**
 * Beyond what any call needs: a return names 10 000 machines, and a thousand provider entries have ten fields each. What each of them costs is some hundred
 * times what its bytes cost; a field with a name of its own is the dearest.
 */
const mostEntries = 50_000;
const mostFields = 15_000;
/** Of callers that may be anybody. */
export const largestBody = 1024 * 1024;

export interface BodyBounds {
  /** Whether the caller is the owner: what he sends may be as large as his route takes, and have as many values. */
  readonly local?: boolean;
}

/**
 * Reads a JSON body; undefined when it is empty. INVALID_REQUEST for anything that is not JSON in UTF-8, nested too deeply or of too many values;
 * PAYLOAD_TOO_LARGE.
 */
export function parseBody(body: Buffer, { local = false }: BodyBounds = {}): unknown {
  if (body.length === 0) return undefined;
  if (!local && body.length > largestBody) throw new BrokerError('PAYLOAD_TOO_LARGE', 'The body is larger than 1 MiB.');
  if (!isUtf8(body)) throw new BrokerError('INVALID_REQUEST', 'The body is not valid UTF-8.');
  const text = body.toString();
  if (text.trim() === '') return undefined;
  // Before it is read: making objects of them is what takes the time.
  const { deep, many } = text.length > 2 * deepest ? shapeOf(text) : { deep: false, many: false };
  if (deep) throw new BrokerError('INVALID_REQUEST', `The body is nested more than ${deepest} levels deep.`);
  if (many && !local) throw new BrokerError('INVALID_REQUEST', `The body has more than ${mostFields} fields or ${mostEntries} entries.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new BrokerError('INVALID_REQUEST', `The body is not valid JSON: ${reason(cause)}.`, {}, { cause });
  }
  return value;
}

/** Without the excerpt of the text that V8 adds. */
function reason(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.replace(/, ?(\.\.\.)?".*is not valid JSON$/s, '').replace(/ \(line \d+ column \d+\)$/, '');
}

/** Counted outside of texts: brackets that are open at once, colons, one for each field, and commas, one for each field or entry. */
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
      if (depth > deepest) return { deep: true, many: false };
    } else if (char === 0x5d || char === 0x7d) depth -= 1;
  }
  return { deep: false, many: fields > mostFields || entries > mostEntries };
}
