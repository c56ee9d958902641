import type { Plugin, SchedulerStrategy, TObject } from '../../core/index.ts';
import type { Runner } from '../runner.ts';

/** A template file as it is after parsing. */
export interface SampleFile {
  readonly name: string;
  readonly content: unknown;
}

/** A template file of the dialect, and what must be read from it. */
export interface ReadFile extends SampleFile {
  /** The fields of each template that is read, by its id, in canonical spelling; the id itself may be left out. */
  readonly templates: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The paths of all findings of level error, e.g. `/templates/1/maxNumber`. Default: none. */
  readonly errors?: readonly string[];
}

/** A scheduler strategy under test. */
export interface SchedulerSubject {
  /** `test` of node:test, ava or vitest. */
  readonly test: Runner;
  readonly plugin: () => Plugin;
  /** Which strategy of the plugin. Default: its only one. */
  readonly scheduler?: string;
  readonly files?: readonly ReadFile[];
  /** Files of other dialects, which must not be recognized. */
  readonly foreignFiles?: readonly SampleFile[];
  /** Template fields of the providers for which the sample files are written, besides the common fields. */
  readonly fields?: readonly TObject[];
}

/** The strategy that a subject names. Throws when its plugin has none of that name. */
export function strategyOf({ plugin, scheduler }: Pick<SchedulerSubject, 'plugin' | 'scheduler'>): SchedulerStrategy {
  const { name, schedulers = [] } = plugin();
  const named = scheduler === undefined ? schedulers : schedulers.filter((each) => each.name === scheduler);
  const [found] = named;
  if (found && named.length === 1) return found;
  const brought = schedulers.map((each) => `'${each.name}'`).join(', ') || 'none';
  const wanted = found ? 'several schedulers: name one with `scheduler`' : `no scheduler '${scheduler ?? ''}'`;
  throw new Error(`Plugin '${name}' contributes ${wanted}; it has ${brought}.`);
}
