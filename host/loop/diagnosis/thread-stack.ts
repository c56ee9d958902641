import type { Session } from 'node:inspector';
import { callOwnerSymbol } from './shared-call-tracking.ts';
import type { CallOwner } from './call-owner-slot.ts';
import { Inbox } from './inbox.ts';

/** The stack of a thread, and the owner of the running call. */
export interface ThreadStack {
  /** The innermost frame first. */
  readonly frames: readonly { readonly name: string; readonly url: string; readonly line: number }[];
  readonly owner?: CallOwner;
}

interface Paused {
  readonly callFrames: readonly {
    readonly callFrameId: string;
    readonly functionName: string;
    readonly url: string;
    readonly location: { readonly scriptId: string; readonly lineNumber: number };
  }[];
}

const expression = `globalThis[Symbol.for('${callOwnerSymbol}')]?.()`;
const maxFrames = 12;

/**
 * Pauses a worker thread of this process like a debugger and reads its stack; then the thread continues. Undefined
 * when the thread could not be paused within `ms`, for example while it waits in native code.
 */
export async function threadStack(threadId: number, ms: number): Promise<ThreadStack | undefined> {
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  try {
    return await stackOf(session, threadId, ms);
  } finally {
    // A thread that a debugger pauses cannot end.
    session.post('NodeWorker.disable');
    session.disconnect();
  }
}

/** What happened at the session: a thread was attached, it sent something, or the time is over. */
type Message =
  | { readonly attached: { readonly session_id: string; readonly title: string } }
  | { readonly session_id: string; readonly text: string }
  | 'late';

interface FromThread {
  readonly id?: number;
  readonly method?: string;
  readonly params?: any;
  readonly result?: any;
}

async function stackOf(session: Session, threadId: number, ms: number): Promise<ThreadStack | undefined> {
  const inbox = new Inbox<Message>();
  const urls = new Map<string, string>();
  let session_id: string | undefined;
  let paused: Paused | undefined;
  const frames = (): ThreadStack['frames'] =>
    (paused?.callFrames ?? []).slice(0, maxFrames).map(({ functionName, url, location }) => ({
      name: functionName || '(anonymous)',
      url: url || (urls.get(location.scriptId) ?? ''),
      line: location.lineNumber + 1,
    }));
  const send = (id: number, method: string, params: object = {}): void =>
    session.post('NodeWorker.sendMessageToWorker', {
      sessionId: session_id ?? '',
      message: JSON.stringify({ id, method, params }),
    });
  /** Returns the stack when the message completes it. */
  const read = ({ id, method, params, result }: FromThread): ThreadStack | undefined => {
    if (method === 'Debugger.scriptParsed') urls.set(params.scriptId, params.url);
    if (method === 'Debugger.paused' && paused === undefined) {
      paused = params as Paused;
      const [innermost] = paused.callFrames;
      if (!innermost) return { frames: [] };
      const { callFrameId } = innermost;
      send(3, 'Debugger.evaluateOnCallFrame', { callFrameId, expression, returnByValue: true, silent: true });
    }
    if (id !== 3) return undefined;
    const owner = result?.result?.value as CallOwner | undefined;
    return { frames: frames(), ...(owner ? { owner } : {}) };
  };

  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) =>
    inbox.put({ attached: { session_id: sessionId, title: workerInfo.title } }),
  );
  session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) =>
    inbox.put({ session_id: sessionId, text: message }),
  );
  const timeout = setTimeout(() => inbox.put('late'), ms);
  try {
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
    for (;;) {
      const message = await inbox.take();
      if (message === 'late') return paused && { frames: frames() };
      if ('attached' in message) {
        // The field `workerId` counts sessions; the title contains the thread id.
        if (!message.attached.title.startsWith(`[worker ${threadId}]`)) continue;
        session_id = message.attached.session_id;
        send(1, 'Debugger.enable');
        send(2, 'Debugger.pause');
      } else if (message.session_id === session_id) {
        const stack = read(JSON.parse(message.text) as FromThread);
        if (stack) return stack;
      }
    }
  } finally {
    clearTimeout(timeout);
    if (session_id !== undefined) send(4, 'Debugger.disable');
  }
}
