import type { Facts } from '../providers/facts.ts';

/** The topic of the facts about what the machines of budgets cost in the last 24 hours, by the name of the budget. */
export const ranTopic = 'budget_ran';

/** The value of such a fact. */
export interface RanToday {
  /** Millionths of a dollar. */
  readonly microusd: number;
}

/** What the machines of a budget cost in the last 24 hours, in millionths of a dollar. 0 until it was counted. */
export function ranMicrousd(facts: Facts, name: string): number {
  const value = facts.get(ranTopic, name)?.value as RanToday | undefined;
  return value?.microusd ?? 0;
}
