import type { BudgetList } from '../../api/shapes.ts';
import { dollars } from '../../words/cost.ts';
import { figure } from '../../words/numbers.ts';

export type Budget = BudgetList['budgets'][number];
export type Limit = Budget['limits'][number];

interface LimitState {
  readonly mark: 'good' | 'part' | 'bad';
  readonly word: string;
  /** 0 to 1: how far the bar is full. */
  readonly share: number;
}

/** How much of a limit is used, in a shape and a word. */
export function limitState({ max, used, near, exceeded }: Limit): LimitState {
  const share = max > 0 ? Math.min(1, used / max) : 1;
  if (exceeded) return { mark: 'bad', word: 'exceeded', share };
  if (used >= max) return { mark: 'bad', word: 'used up', share };
  if (near) return { mark: 'part', word: `nearly used up, ${Math.floor(100 * share)} %`, share };
  return { mark: 'good', word: 'has room', share };
}

interface LimitWords {
  readonly name: string;
  amount(value: number): string;
}

/** What is limited, and an amount of it. */
export const limitWords: Readonly<Record<Limit['limit'], LimitWords>> = {
  max_machines: { name: 'Machines', amount: figure },
  max_vcpus: { name: 'vCPUs', amount: figure },
  max_usd_per_hour: { name: 'US dollars an hour', amount: dollars },
  max_usd_per_day: { name: 'US dollars a day', amount: dollars },
};

/** The machines that a budget counts. */
export function matchText({ template_id, provider_instance, price_type, tags = {} }: Budget['match']): string {
  const parts = [
    template_id === undefined ? [] : [`template ${template_id}`],
    provider_instance === undefined ? [] : [`instance ${provider_instance}`],
    price_type === undefined ? [] : [price_type],
    Object.entries(tags).map(([name, value]) => `${name}=${value}`),
  ].flat();
  return parts.length === 0 ? 'all machines' : parts.join(' · ');
}
