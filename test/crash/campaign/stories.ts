import { setTimeout as wait } from 'node:timers/promises';
import type { Dice } from '../support/dice.ts';
import type { Seen } from '../support/dialect.ts';
import type { Caller } from './caller.ts';
import { supplies, templates, wayNames, type Supply, type Way } from './ways.ts';

/** What one caller does. */
export interface Story {
  readonly way: Way;
  readonly supply: Supply;
  readonly machine_count: number;
  /**
   * What becomes of the request: a cancel comes after `patience_ms`, or when half of the machines are there; a return
   * when the request has ended, or early: when most machines are there.
   */
  readonly then: 'keep' | 'return-some' | 'return-most' | 'return-early' | 'return-all' | 'cancel' | 'cancel-half';
  readonly patience_ms: number;
  /** With a template that this caller makes. */
  readonly own_template: boolean;
  /** What a cancel that came too late leaves is returned. */
  readonly returns_what_was_not_cancelled?: true;
}

/** How many machines are asked for: `large`: some callers ask for 200 to 1000; `huge`: one asks for 10 000. */
export const sizes = ['small', 'large', 'huge'] as const;
export type Size = (typeof sizes)[number];

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
export function storiesBy(chance: Dice, size: Size = 'small'): readonly Story[] {
  const turn = chance.roll(4);
  const small = wayNames.map((way, i) => ({
    way,
    supply: supplies[(i + turn) % supplies.length] as Supply,
    machine_count: 1 + chance.roll(5),
    then:
      (['return-some', 'cancel', 'return-some', 'keep', 'return-all', 'return-some'] as const)[
        (i + chance.roll(6)) % 6
      ] ?? 'keep',
    patience_ms: chance.roll(1500),
    own_template: chance.roll(6) === 0,
  }));
  if (size === 'small') return small;
  const from = chance.roll(small.length);
  const at = (i: number) => small[(from + i) % small.length] as Story;
  const grown = (story: Story) => ({
    ...story,
    machine_count: size === 'huge' ? 10_000 : 200 + chance.roll(801),
    then: chance.pick([
      'return-early',
      'return-early',
      'return-most',
      'return-most',
      'return-all',
      'cancel-half',
      'keep',
    ] as const),
  });
  return size === 'huge' ? [grown(at(0)), at(1), at(2)] : [grown(at(0)), grown(at(1)), at(2), at(3)];
}

/** So many machines a pool has of what is scarce: less than half of what is asked for. */
export const scarceFor = (stories: readonly Story[]): number =>
  Math.max(
    2,
    ...stories
      .filter(({ supply }) => supply === 'partial')
      .map(({ machine_count }) => Math.floor(machine_count / 2.5)),
  );

export const lives = ({ status }: { readonly status: string }): boolean =>
  status === 'running' || status === 'pending';

/** Plays a story to its end, however often the broker dies meanwhile. */
export async function play(story: Story, n: number, caller: Caller): Promise<Told> {
  const template_id = story.own_template ? `own-${n}` : `${story.way}-${story.supply}`;
  if (story.own_template) await makeTemplate(template_id, story, caller);
  const request_id = await caller.ask(template_id, story.machine_count);
  const told = { story, request_id, ...(story.own_template ? { template_id } : {}) };
  if (story.then === 'cancel' || story.then === 'cancel-half') {
    if (story.then === 'cancel') await wait(story.patience_ms);
    else await caller.sees(request_id, ({ machines }) => machines.length >= story.machine_count / 2);
    const cancelled = await caller.cancel(request_id);
    await caller.ended(request_id);
    if (cancelled || !story.returns_what_was_not_cancelled) return { ...told, cancelled, returned: [], returns: [] };
  }
  const most = mostOf(story.machine_count);
  const early = ({ machines }: Seen) => story.then === 'return-early' && machines.filter(lives).length >= most;
  const { machines } = await caller.sees(request_id, early);
  const living = machines.filter(lives).map(({ machine_id }) => machine_id);
  const returned = living.slice(0, countOf(story.then, living.length, most));
  const returns = returned.length === 0 ? [] : [await caller.giveBack(returned, request_id)];
  for (const id of [...returns, request_id]) await caller.ended(id);
  return { ...told, cancelled: false, returned, returns };
}

function countOf(then: Story['then'], living: number, most: number): number {
  if (then === 'keep') return 0;
  if (then === 'return-all' || then === 'cancel' || then === 'cancel-half') return living;
  return then === 'return-some' ? Math.ceil(living / 2) : most;
}

/** 300 of 400; of thousands all but one. */
const mostOf = (count: number): number => (count < 1_000 ? Math.ceil(count * 0.75) : count - 1);

async function makeTemplate(template_id: string, { way, supply }: Story, caller: Caller): Promise<void> {
  const like = templates.find((template) => template.template_id === `${way}-${supply}`);
  const { status, body } = await caller.call('POST', '/templates/', { ...like, template_id });
  // The answer to the first try may have been lost.
  if (status !== 201 && !JSON.stringify(body).includes('already'))
    throw new Error(`No template: ${status} ${JSON.stringify(body)}`);
}
