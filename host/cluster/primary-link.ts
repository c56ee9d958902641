import type { LoopHandle } from '../loop/loop-handle.ts';
import type { Family } from '../metrics/family.ts';

/** What a worker process has of the primary: the loop runs there, and what all count comes together there. */
export interface PrimaryLink {
  /** Which worker this is, from 1. */
  readonly worker: number;
  /** The loop in the primary. `looked` hears which requests it looked at. Undefined where the server has none. */
  loop(looked: (request_ids: readonly string[], at: number) => void): LoopHandle | undefined;
  /** What all processes counted. */
  measures(): Promise<readonly (readonly Family[])[]>;
}
