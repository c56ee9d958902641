import type { Clock, FaultKind, Plugin } from '../../core/index.ts';
import type { Runner } from '../runner.ts';

/**
 * The world that an author opens for one check: a separate provider, fake or real, which holds no machines that the
 * check does not expect.
 */
export interface ProviderWorld {
  /** As in `config` of a provider entry. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Fields of the template for the orders, as a person writes them; `template_id` is added. */
  readonly template?: Readonly<Record<string, unknown>>;
  /** The clock of the plugin. Default: the computer's. */
  readonly clock?: Clock;
  /** The result of `context.endpoint`. Default: the same URL. */
  endpoint?(url: string): string | Promise<string>;
}

/** Fault kinds that a world can cause for a launch. */
export type LaunchFaultKind = Exclude<FaultKind, 'unknown-outcome' | 'gone'>;

/** What checks do with the source of notices of a world, which its `config` names. */
export interface NoticeWorld<World extends ProviderWorld> {
  /**
   * The provider announces something about a machine at this time (ISO 8601), and a message about it comes. Returns
   * the id of the machine, which no earlier message names and which need not exist.
   */
  announce(world: World, at: string): string | Promise<string>;
  /** A message comes that the plugin cannot read. */
  announceMalformed?(world: World): unknown;
  /** From now on the source does not answer, or refuses every call. Announcements still reach it. */
  fail?(world: World): unknown;
  /** The source works again. */
  recover?(world: World): unknown;
}

/**
 * The input of `testProvider`. `plugin` and `open` are required; each other member enables checks that are otherwise
 * registered as todo. Every function gets the world that `open` returned for the check.
 */
export interface ProviderKit<World extends ProviderWorld> {
  /** `test` of node:test, ava or vitest. */
  readonly test: Runner;
  /** The plugin under test, and those that it requires. */
  readonly plugin: Plugin | readonly Plugin[] | (() => Plugin | readonly Plugin[]);
  /** The API under test. Default: the last one that the plugins contribute. */
  readonly api?: string;
  /** Prefix of the titles of the checks. Default: the name of the API. */
  readonly about?: string;
  /** Opens a fresh world. Every check calls it; several checks may run at the same time. */
  open(): World | Promise<World>;
  /** Ends the world and everything in it. Without it, the kit releases what it launched. */
  close?(world: World): unknown;
  /**
   * Advances the world: launched machines proceed, released machines end. Called repeatedly until the awaited state
   * is reached, at most 60 times. Default: some milliseconds pass.
   */
  settle?(world: World): unknown;
  /**
   * Ids of all machines that live in the world (pending or running), whoever started them, to verify the plugin.
   * Default: the machines that `observe` reports for the kit's launches, which cannot reveal a machine that the
   * plugin does not see.
   */
  living?(world: World): readonly string[] | Promise<readonly string[]>;
  /** Each function makes the next launch in the world fail with its kind. */
  readonly faults?: { readonly [Kind in LaunchFaultKind]?: (world: World) => unknown };
  /** From now on the world has room for exactly this number of additional machines. */
  room?(world: World, machines: number): unknown;
  /** The next launch is carried out, and its answer is lost. */
  loseAnswer?(world: World): unknown;
  /** The next call to the provider is not carried out and never gets an answer. */
  hang?(world: World): unknown;
  /** A machine ends without a request by the plugin or the kit. */
  endMachine?(world: World, machine_id: string): unknown;
  /** For a type with `notices`. False: they are checked with another API of the type. */
  readonly notices?: NoticeWorld<World> | false;
  /** Number of machines that most checks order. Default 3. */
  readonly machine_count?: number;
  /** Longest wait for an expected state without `settle`. Default 10 000. */
  readonly patience_ms?: number;
}
