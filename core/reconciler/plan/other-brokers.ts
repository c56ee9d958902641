import type { NeededInstance } from '../../brokers/needs.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { RequestRecord } from '../../model/request.ts';
import { neededInstances } from '../state/needed-instances.ts';
import type { RequestState } from '../state/request-state.ts';
import type { Elsewhere } from './orders/fallback-order.ts';
import { isUnanswered } from './orders/standing.ts';

/** What is known of other brokers that may continue a request. */
export interface OtherBrokers {
  /** The instances that may serve the request when a broker is back that ended within the last minutes. */
  absentInstances(): readonly string[];
  /**
   * Which broker has an instance in its configuration: this one, another live one, one that ended within the last
   * hour, or none.
   */
  whereIs(instance: string): 'here' | 'elsewhere' | 'lately' | 'nowhere';
  /** Whether another live broker has all these instances. */
  areElsewhere(instances: readonly NeededInstance[]): boolean;
  /** As `areElsewhere`, also where that broker has not connected to all of them yet. */
  mayBeElsewhere(instances: readonly NeededInstance[]): boolean;
  /** Whether one broker had all these instances that ended within the last minutes, or lives. */
  wereTogetherLately(instances: readonly NeededInstance[]): boolean;
}

/** Which broker has the selected instance of a request. */
export const whereabouts = (
  { selected_instance }: RequestRecord,
  at: OtherBrokers,
): ReturnType<OtherBrokers['whereIs']> => (selected_instance === undefined ? 'here' : at.whereIs(selected_instance));

/**
 * The instance to which a request is handed over: one that another broker has beside all that the request still needs.
 * Once for each instance: two brokers may disagree whether they can serve it.
 */
export function firstElsewhere(
  { request, attempts }: RequestState,
  elsewhere: readonly Elsewhere[],
  areThere: (instances: readonly NeededInstance[]) => boolean,
): Elsewhere | undefined {
  const { handed_over = [] } = request;
  const open = elsewhere.filter(({ provider_instance }) => !handed_over.includes(provider_instance));
  if (open.length === 0) return undefined;
  const needed = neededBeside(request, attempts);
  return open.find(({ provider_instance }) => areThere([...needed, { name: provider_instance }]));
}

/** What another broker needs to continue a request at one more instance. */
const neededBeside = (request: RequestRecord, attempts: readonly AttemptRecord[]): readonly NeededInstance[] =>
  attempts.length === 0 ? [] : neededInstances(request, attempts);

/**
 * The instance for which a request waits that nothing else can serve: brokers that had it ended lately. The selected
 * one, else one where nothing was ordered yet. `others`: other instances were there, whose offers are exhausted.
 */
export function awaitedInstance(
  { request, attempts }: RequestState,
  others: boolean,
  at: OtherBrokers,
): string | undefined {
  const { selected_instance, handed_over = [] } = request;
  const isTried = (instance: string) =>
    attempts.some((attempt) => attempt.provider_instance === instance && !isUnanswered(attempt));
  if (selected_instance !== undefined && whereabouts(request, at) === 'lately')
    if (!others || !isTried(selected_instance)) return selected_instance;
  const needed = neededBeside(request, attempts);
  return at
    .absentInstances()
    .find((name) => !isTried(name) && !handed_over.includes(name) && at.wereTogetherLately([...needed, { name }]));
}

export const isHandedOver = ({ handed_over = [], selected_instance }: RequestRecord): boolean =>
  selected_instance !== undefined && handed_over.at(-1) === selected_instance;
