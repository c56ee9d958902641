import { startLoop, type LoopParts } from '../core/lifecycle/loop.ts';
import type { LoopHandle } from './loop-handle.ts';

/** The loop in the thread of the faces: for storages that one thread alone can open, and for tests. */
export async function startInlineLoop(parts: LoopParts): Promise<LoopHandle> {
  const loop = await startLoop(parts);
  let stopped = false;
  return {
    where: 'inline',
    trouble: () => (stopped ? 'The loop is stopped.' : undefined),
    look: (request_ids) => loop.look(request_ids),
    stop: () => {
      stopped = true;
      return loop.stop();
    },
  };
}
