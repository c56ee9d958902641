import type { Facts } from '../providers/facts.ts';
import { ranTopic } from './budget-topics.ts';

/** The value of a fact of the topic `ranTopic`. */
export interface RanToday {
  /** Millionths of a dollar. */
  readonly microusd: number;
}

/** What the machines of a budget cost in the last 24 hours, in millionths of a dollar. 0 until it was counted. */
export function ranMicrousd(facts: Facts, name: string): number {
  const value = facts.get(ranTopic, name)?.value as RanToday | undefined;
  return value?.microusd ?? 0;
}
