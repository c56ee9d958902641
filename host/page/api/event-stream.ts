/** One message of a server-sent event stream. */
export interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/**
 * Cuts the text of a stream into messages. Takes parts as they arrive; a message is complete at its empty line.
 * Comments and unknown fields are skipped, as the standard says.
 */
export class EventStreamParser {
  #rest = '';

  take(part: string): readonly Message[] {
    const blocks = (this.#rest + part).replaceAll('\r\n', '\n').split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => messageOf(block) ?? []);
  }
}

function messageOf(block: string): Message | undefined {
  const fields = { id: '', event: 'message' };
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'id' || name === 'event') fields[name] = value;
  }
  return data.length === 0 ? undefined : { ...fields, data: data.join('\n') };
}
