/** A message of a stream of server-sent events. */
export interface EventMessage {
  readonly id?: string;
  /** Default: `message`. */
  readonly event: string;
  readonly data: string;
}

/** The empty line behind a message. */
const end = /\r?\n\r?\n/;

/** The longest message in characters: more than any document of the broker. */
const longest = 64 * 1024 * 1024;

/**
 * Reads the messages of a stream. Comments, and blocks without data, are no messages; `id` is the last one that the
 * server named, also in such a block.
 */
export async function* messagesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EventMessage> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  let tail = '';
  let id: string | undefined;
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    // Of a message that comes in many parts, each is looked through once, with the end of those before it.
    const isEnded = end.test(tail + text);
    parts.push(text);
    length += text.length;
    tail = (tail + text).slice(-3);
    if (!isEnded && length > longest) throw new Error('a message of the stream is too long');
    if (!isEnded) continue;
    const blocks = parts.join('').split(end);
    const rest = blocks.pop() ?? '';
    parts = [rest];
    length = rest.length;
    tail = rest.slice(-3);
    for (const block of blocks) {
      const fields = fieldsOf(block);
      id = fields.get('id')?.at(-1) ?? id;
      const data = fields.get('data');
      const event = fields.get('event')?.at(-1) ?? 'message';
      if (data) yield { event, data: data.join('\n'), ...(id === undefined ? {} : { id }) };
    }
  }
}

function fieldsOf(block: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name !== '') fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  return fields;
}
