import type { Clock, FaultKind, Plugin } from '../../core/index.ts';
import type { Runner } from '../runner.ts';

/**
 * What an author opens for one check: a provider of its own, fake or real, in which nothing lives that the check does
 * not expect.
 */
export interface ProviderWorld {
  /** As in `config` of a provider entry. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Fields of the template that machines are ordered from, as a person writes them; `template_id` is added. */
  readonly template?: Readonly<Record<string, unknown>>;
  /** By which the plugin tells the time. Default: the computer's. */
  readonly clock?: Clock;
  /** What `context.endpoint` gives. Default: the same URL. */
  endpoint?(url: string): string | Promise<string>;
}

/** Kinds of faults that a launch can be made to end with. */
export type LaunchFaultKind = Exclude<FaultKind, 'unknown-outcome' | 'gone'>;

/**
 * What `testProvider` is given. `plugin` and `open` are enough; each of the others makes checks possible that are
 * registered as not done without it. All get the world that `open` made for the check. /
 */
export interface ProviderKit<World extends ProviderWorld> {
  /** `test` of node:test, ava or vitest. */
  readonly test: Runner;
  /** The plugin under test, and those that it requires. */
  readonly plugin: Plugin | readonly Plugin[] | (() => Plugin | readonly Plugin[]);
  /** The API under test. Default: the only one that the plugins bring, else the last. */
  readonly api?: string;
  /** How the titles of the checks begin. Default: the name of the API. */
  readonly about?: string;
  /** A fresh world. Called anew by every check, of which several may run at the same time. */
  open(): World | Promise<World>;
  /** Ends the world with everything in it. Without it, the kit gives back what it launched. */
  close?(world: World): unknown;
  /**
   * Moves the world on: what was launched comes up a bit further, what was released goes. Called until what is awaited
   * is there, at most 60 times. Default: some milliseconds pass. /
   */
  settle?(world: World): unknown;
  /**
   * Ids of all machines that live in the world, coming up or running, whoever started them: the judge of what the
   * plugin says. Default: what `observe` says of what the kit launched, so that a plugin that does not see a machine
   * is not found out. /
   */
  living?(world: World): readonly string[] | Promise<readonly string[]>;
  /** Each makes the next launch in the world fail in its way. */
  readonly faults?: { readonly [Kind in LaunchFaultKind]?: (world: World) => unknown };
  /** From now on the world has room for so many machines more, and no others. */
  room?(world: World, machines: number): unknown;
  /** The next launch is carried out, and its answer lost. */
  loseAnswer?(world: World): unknown;
  /** The next call to the provider is not carried out and has no answer, however long it is waited for. */
  hang?(world: World): unknown;
  /** A machine ends, and neither the plugin nor the kit asked for it. */
  endMachine?(world: World, machine_id: string): unknown;
  /** Machines that most checks order. Default 3. */
  readonly machine_count?: number;
  /** How long what is awaited may take to come where there is no `settle`. Default 10 000. */
  readonly patience_ms?: number;
}
