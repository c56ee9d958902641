import type { Session } from 'node:inspector';
import { callOwnerSymbol } from './shared-call-tracking.ts';
import type { CallOwner } from './call-owner-slot.ts';

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

function stackOf(session: Session, threadId: number, ms: number): Promise<ThreadStack | undefined> {
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

  return new Promise((resolve) => {
    const timeout = setTimeout(() => {
      if (session_id !== undefined) send(4, 'Debugger.disable');
      resolve(paused && { frames: frames() });
    }, ms);
    const done = (stack: ThreadStack): void => {
      clearTimeout(timeout);
      send(4, 'Debugger.disable');
      resolve(stack);
    };
    session.on('NodeWorker.attachedToWorker', ({ params }) => {
      // The field `workerId` counts sessions; the title contains the thread id.
      if (!params.workerInfo.title.startsWith(`[worker ${threadId}]`)) return;
      session_id = params.sessionId;
      send(1, 'Debugger.enable');
      send(2, 'Debugger.pause');
    });
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      if (params.sessionId !== session_id) return;
      const message = JSON.parse(params.message) as { id?: number; method?: string; params?: any; result?: any };
      if (message.method === 'Debugger.scriptParsed') urls.set(message.params.scriptId, message.params.url);
      if (message.method === 'Debugger.paused' && paused === undefined) {
        paused = message.params as Paused;
        const [innermost] = paused.callFrames;
        if (!innermost) return done({ frames: [] });
        send(3, 'Debugger.evaluateOnCallFrame', {
          callFrameId: innermost.callFrameId,
          expression,
          returnByValue: true,
          silent: true,
        });
      }
      if (message.id !== 3) return;
      const owner = message.result?.result?.value as CallOwner | undefined;
      done({ frames: frames(), ...(owner ? { owner } : {}) });
    });
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  });
}
