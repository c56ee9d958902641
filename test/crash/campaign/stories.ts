import { setTimeout as wait } from 'node:timers/promises';
import type { Dice } from '../support/dice.ts';
import type { Caller } from './caller.ts';
import { supplies, templates, wayNames, type Supply, type Way } from './ways.ts';

/** What one caller does. */
export interface Story {
  readonly way: Way;
  readonly supply: Supply;
  readonly machine_count: number;
  /** What becomes of the request: a cancel comes after `patience_ms`, a return when it has ended. */
  readonly then: 'keep' | 'return-some' | 'return-all' | 'cancel';
  readonly patience_ms: number;
  /** With a template that this caller makes. */
  readonly own_template: boolean;
}

/** What was acknowledged to a caller. */
export interface Told {
  readonly story: Story;
  readonly request_id: string;
  readonly cancelled: boolean;
  readonly returned: readonly string[];
  readonly returns: readonly string[];
  readonly template_id?: string;
}

/** One for each way, and what chance makes of them: with partial supply, fallback, returns and cancels all in it. */
export function storiesBy(chance: Dice): readonly Story[] {
  const turn = chance.roll(4);
  return wayNames.map((way, i) => ({
    way,
    supply: supplies[(i + turn) % supplies.length] as Supply,
    machine_count: 1 + chance.roll(5),
    then: (['return-some', 'cancel', 'return-some', 'keep', 'return-all', 'return-some'] as const)[(i + chance.roll(6)) % 6] ?? 'keep',
    patience_ms: chance.roll(1500),
    own_template: chance.roll(6) === 0,
  }));
}

export const lives = ({ status }: { readonly status: string }): boolean => status === 'running' || status === 'pending';

/** Plays a story to its end, however often the broker dies meanwhile. */
export async function play(story: Story, n: number, caller: Caller): Promise<Told> {
  const template_id = story.own_template ? `own-${n}` : `${story.way}-${story.supply}`;
  if (story.own_template) await makeTemplate(template_id, story, caller);
  const request_id = await caller.ask(template_id, story.machine_count);
  const told = { story, request_id, ...(story.own_template ? { template_id } : {}) };
  if (story.then === 'cancel') {
    await wait(story.patience_ms);
    const cancelled = await caller.cancel(request_id);
    await caller.ended(request_id);
    return { ...told, cancelled, returned: [], returns: [] };
  }
  const { machines } = await caller.ended(request_id);
  const living = machines.filter(lives).map(({ machine_id }) => machine_id);
  const few = story.then === 'return-all' ? living.length : story.then === 'keep' ? 0 : Math.ceil(living.length / 2);
  const returned = living.slice(0, few);
  if (few === 0) return { ...told, cancelled: false, returned, returns: [] };
  const return_id = await caller.giveBack(returned);
  await caller.ended(return_id);
  return { ...told, cancelled: false, returned, returns: [return_id] };
}

async function makeTemplate(template_id: string, { way, supply }: Story, caller: Caller): Promise<void> {
  const like = templates.find((template) => template.template_id === `${way}-${supply}`);
  const { status, body } = await caller.call('POST', '/templates/', { ...like, template_id });
  // The answer to the first try may have been lost.
  if (status !== 201 && !JSON.stringify(body).includes('already')) throw new Error(`No template: ${status} ${JSON.stringify(body)}`);
}
