import { isUtf8 } from 'node:buffer';
import { BrokerError } from '../../core/errors.ts';

/** Deeper than anything that is meant, and far from what would exhaust a stack. */
const deepest = 64;

/** Reads a JSON body; undefined when it is empty. INVALID_REQUEST for anything that is not JSON in UTF-8, or nested too deeply. */
export function parseBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new BrokerError('INVALID_REQUEST', 'The body is not valid UTF-8.');
  const text = body.toString();
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new BrokerError('INVALID_REQUEST', `The body is not valid JSON: ${reason(cause)}.`, {}, { cause });
  }
  if (text.length > 2 * deepest && isDeep(text)) {
    throw new BrokerError('INVALID_REQUEST', `The body is nested more than ${deepest} levels deep.`);
  }
  return value;
}

/** Without the excerpt of the text that V8 adds. */
function reason(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.replace(/, ?(\.\.\.)?".*is not valid JSON$/s, '').replace(/ \(line \d+ column \d+\)$/, '');
}

function isDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i += 1;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x5b || char === 0x7b) {
      depth += 1;
      if (depth > deepest) return true;
    } else if (char === 0x5d || char === 0x7d) depth -= 1;
  }
  return false;
}
