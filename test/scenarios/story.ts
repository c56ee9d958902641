import type { KnobChange } from '../../plugins/cloud-simulator/knobs/knobs.ts';
import type { RequestRecord } from '../../core/model/request.ts';
import type { MachineRecord } from '../../core/model/machine.ts';
import type { Outcome } from './outcome.ts';
import type { Way } from './ways.ts';

/** What is scarce, or hangs, for a cell alone. */
export type Rules = Pick<KnobChange, 'capacity' | 'stuck'>;

/** What becomes of a request, in any way to have machines. */
export interface Story {
  readonly name: string;
  /** Where it may have machines, the best region first. Default: one region. */
  readonly regions?: readonly [string, ...string[]];
  /** Default: every way. */
  fits?(way: Way): boolean;
  /** How many machines are asked for. */
  machines(way: Way): number;
  /** Fields laid over those of the way. */
  template?(way: Way): object;
  rules?(way: Way): Rules;
  /** What is done after the request was accepted; resolves when all that it did has ended. */
  play(cast: Cast): Promise<void>;
  /**
   * Machines that have to become ready where only want of places keeps a request from what it asks for. Default: as
   * many as there are places.
   */
  least?(outcome: Outcome): number;
  /** What is wrong with how it came out, beyond what is wrong with any. */
  judge?(outcome: Outcome): string[];
}

/** What a story plays with. */
export interface Cast {
  readonly request_id: string;
  /** The request as it is stored. */
  request(): RequestRecord;
  /** Its machines as they are stored. */
  machines(): Promise<readonly MachineRecord[]>;
  /** Waits for the end of the request. */
  ended(): Promise<RequestRecord>;
  /** Waits until the answer is true, of something that is stored. */
  until(what: string, ask: () => boolean | Promise<boolean>): Promise<void>;
  /** Gives machines back and waits for the end of the return. */
  giveBack(machines: readonly MachineRecord[]): Promise<void>;
  /** Whether the cancel was accepted. */
  cancel(): Promise<boolean>;
}
