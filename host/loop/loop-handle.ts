import type { Checkup } from '../../core/providers/checkup.ts';
import type { Family } from '../metrics/family.ts';

/** The loop as the process of the faces sees it, wherever it runs. */
export interface LoopHandle extends Checkup {
  readonly where: 'thread' | 'inline' | 'primary';
  /** Why nothing is carried out at the moment; undefined: it runs. */
  trouble(): string | undefined | Promise<string | undefined>;
  /** What was counted where it runs. A loop that does not answer gives what it last said. */
  measures(): Promise<readonly Family[]>;
  look(request_ids: readonly string[]): void;
  /** Ends calls under way and gives claims back. Idempotent. */
  stop(): Promise<void>;
}
