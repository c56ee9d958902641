import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { until } from './boot-broker.ts';

/** A message of a stream, or a comment. */
export interface Message {
  readonly id?: string;
  readonly event?: string;
  readonly data?: any;
  readonly comment?: true;
}

export interface EventSource {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** All messages so far; of an answer that is no stream, its text is in `text`. */
  readonly messages: readonly Message[];
  readonly text: string;
  /** The last id that the server named. */
  readonly lastId: string | undefined;
  readonly ended: boolean;
  /** Whether the connection broke before the answer was complete. */
  readonly broken: boolean;
  /** The events with data so far, without gaps. */
  readonly events: readonly any[];
  /** Waits for a message that `wanted` accepts. */
  next(wanted: (message: Message) => boolean): Promise<Message>;
  /** Stops to read. */
  pause(): void;
  resume(): void;
  close(): void;
}

export interface SourceOptions {
  readonly port?: number;
  readonly socketPath?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads nothing. */
  readonly paused?: boolean;
  /** Takes the answer compressed. Then `broken` also says that it has no proper end. */
  readonly gzip?: boolean;
}

/** Opens a stream of server-sent events, as a browser reads it. */
export async function openSource(
  path: string,
  { port, socketPath, headers, paused, gzip = false }: SourceOptions,
): Promise<EventSource> {
  const messages: Message[] = [];
  let text = '';
  let rest = '';
  let lastId: string | undefined;
  const state = { ended: false, broken: false };
  let sent: ClientRequest | undefined;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent = request({
      ...(socketPath === undefined ? { host: '127.0.0.1', port } : { socketPath }),
      path,
      headers: { accept: 'text/event-stream', ...(gzip ? { 'accept-encoding': 'gzip' } : {}), ...headers },
      agent: false,
    });
    sent.once('response', resolve).once('error', reject).end();
  });
  const decoder = createGunzip({ flush: constants.Z_SYNC_FLUSH });
  const body = gzip ? pipeline(answer, decoder, (error) => void (state.broken ||= error instanceof Error)) : answer;
  body.on('error', () => (state.broken = true));
  body.on('close', () => (state.ended = true));
  body.setEncoding('utf8');
  const take = (chunk: string) => {
    text += chunk;
    rest += chunk;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const message = messageIn(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (message.id !== undefined) lastId = message.id;
      messages.push(message);
    }
  };
  if (!paused) body.on('data', take);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    messages,
    get text() {
      return text;
    },
    get lastId() {
      return lastId;
    },
    get ended() {
      return state.ended;
    },
    get broken() {
      return state.broken;
    },
    get events() {
      return messages.flatMap(({ event, data }) => (data === undefined || event === 'journal.gap' ? [] : [data]));
    },
    next: (wanted) => until(async () => messages.find(wanted)),
    pause: () => void body.pause(),
    resume: () => void (paused ? body.on('data', take) : body.resume()),
    close: () => void sent?.destroy(),
  };
}

function messageIn(block: string): Message {
  const fields = block.split('\n').map((line) => /^(\w*):? ?(.*)$/s.exec(line) ?? []);
  const value = (name: string) => fields.filter(([, field]) => field === name).map(([, , text]) => text ?? '');
  const [id] = value('id');
  const [event] = value('event');
  const data = value('data');
  return {
    ...(id === undefined ? {} : { id }),
    ...(event === undefined ? {} : { event }),
    ...(data.length === 0 ? {} : { data: JSON.parse(data.join('\n')) }),
    ...(fields.some(([, field]) => field === '') ? { comment: true } : {}),
  };
}
