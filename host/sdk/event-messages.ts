/** A message of a stream of server-sent events. */
export interface EventMessage {
  readonly id?: string;
  /** Default: `message`. */
  readonly event: string;
  readonly data: string;
}

/** The longest message in characters: more than any document of the broker. */
const longest = 64 * 1024 * 1024;

/**
 * Reads the messages of a stream. Comments, and blocks without data, are no messages; `id` is the last one that the
 * server named, also in such a block.
 */
export async function* messagesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EventMessage> {
  const decoder = new TextDecoder();
  let rest = '';
  let id: string | undefined;
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    if (rest.length > longest) throw new Error('a message of the stream is too long');
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
