import type { Session } from 'node:inspector';
import { whoseSymbol } from './shared-call-tracking.ts';
import type { Whose } from './marked-name.ts';

/** Where a thread is, and in whose name. */
export interface ThreadStack {
  /** Innermost first. */
  readonly frames: readonly { readonly name: string; readonly url: string; readonly line: number }[];
  readonly whose?: Whose;
}

interface Paused {
  readonly callFrames: readonly {
    readonly callFrameId: string;
    readonly functionName: string;
    readonly url: string;
    readonly location: { readonly scriptId: string; readonly lineNumber: number };
  }[];
}

const expression = `globalThis[Symbol.for('${whoseSymbol}')]?.()`;
const mostFrames = 12;

/**
 * Stops a worker thread of this process in what it does and looks at its stack, as a debugger would. Undefined: it could not be stopped within `ms`, as
 * when it waits in native code. Afterwards the thread goes on as it did.
 */
export async function threadStack(threadId: number, ms: number): Promise<ThreadStack | undefined> {
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  try {
    return await stackOf(session, threadId, ms);
  } finally {
    // A thread that a debugger holds does not end.
    session.post('NodeWorker.disable');
    session.disconnect();
  }
}

function stackOf(session: Session, threadId: number, ms: number): Promise<ThreadStack | undefined> {
  const urls = new Map<string, string>();
  let ours: string | undefined;
  let paused: Paused | undefined;
  const frames = (): ThreadStack['frames'] =>
    (paused?.callFrames ?? []).slice(0, mostFrames).map(({ functionName, url, location }) => ({
      name: functionName || '(anonymous)',
      url: url || (urls.get(location.scriptId) ?? ''),
      line: location.lineNumber + 1,
    }));
  const send = (id: number, method: string, params: object = {}): void =>
    session.post('NodeWorker.sendMessageToWorker', { sessionId: ours ?? '', message: JSON.stringify({ id, method, params }) });

  return new Promise((resolve) => {
    const late = setTimeout(() => {
      if (ours !== undefined) send(4, 'Debugger.disable');
      resolve(paused && { frames: frames() });
    }, ms);
    const done = (stack: ThreadStack): void => {
      clearTimeout(late);
      send(4, 'Debugger.disable');
      resolve(stack);
    };
    session.on('NodeWorker.attachedToWorker', ({ params }) => {
      // What is called its id counts sessions; the number of the thread stands in its title.
      if (!params.workerInfo.title.startsWith(`[worker ${threadId}]`)) return;
      ours = params.sessionId;
      send(1, 'Debugger.enable');
      send(2, 'Debugger.pause');
    });
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      if (params.sessionId !== ours) return;
      const message = JSON.parse(params.message) as { id?: number; method?: string; params?: any; result?: any };
      if (message.method === 'Debugger.scriptParsed') urls.set(message.params.scriptId, message.params.url);
      if (message.method === 'Debugger.paused' && paused === undefined) {
        paused = message.params as Paused;
        const [innermost] = paused.callFrames;
        if (!innermost) return done({ frames: [] });
        send(3, 'Debugger.evaluateOnCallFrame', { callFrameId: innermost.callFrameId, expression, returnByValue: true, silent: true });
      }
      if (message.id !== 3) return;
      const whose = message.result?.result?.value as Whose | undefined;
      done({ frames: frames(), ...(whose ? { whose } : {}) });
    });
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  });
}
