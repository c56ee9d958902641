import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Dice } from '../crash/support/dice.ts';
import type { Book, Deal } from './book.ts';
import { Line, type Outcome } from './wire.ts';
import type { Call, Words } from './words.ts';

/** Half a minute without a server. */
const mostTries = 1_200;

export interface Day {
  readonly port: number;
  readonly words: Words;
  readonly chance: Dice;
  readonly book: Book;
  /** Whether some machines stay at the end of a request, as they do at the end of a day. */
  readonly keeps: boolean;
  /** A request is begun at most so often; 0: as soon as the last one is over. */
  readonly cycleMs: number;
  /** The address that a proxy tells the server. */
  readonly address: string;
  /** No new request is begun once it says so. */
  over(): boolean;
}

/**
 * One scheduler's day: it looks at templates, asks for machines, waits for them, gives them back in parts, lists, now
 * and then cancels; then again.
 */
export async function runClient({ port, words, chance, book, keeps, cycleMs, address, over }: Day): Promise<void> {
  const line = new Line(port);

  /**
   * Calls until there is an answer: a call that had none is sent again under its key. The answer; undefined for one
   * that is a refusal.
   */
  async function call(what: Call): Promise<any> {
    const key = what.name === 'request' || what.name === 'return' ? { 'idempotency-key': randomUUID() } : {};
    const from = { ...key, 'x-forwarded-for': address };
    for (;;) {
      const id = randomUUID();
      const outcome = await line.send(what.method, what.path, what.body, { ...from, 'x-request-id': id });
      if (outcome.torn) book.wrong.push(`${words.name} ${what.name}: an answer did not come whole`);
      if (outcome.status === 0) {
        book.unanswered.push(id);
        tries += 1;
        if (tries > mostTries) throw new Error('The server did not come back.');
        await wait(25);
      } else if ((outcome.status === 503 || outcome.status === 429) && outcome.headers['retry-after'] !== undefined) {
        book.busy += 1;
        await wait(Number(outcome.headers['retry-after']) * 1000);
      } else {
        tries = 0;
        return answerOf(what, outcome);
      }
    }
  }
  let tries = 0;

  function answerOf(what: Call, { status, body, headers, ms }: Outcome): any {
    book.took(`${words.name} ${what.name}`, ms);
    const exit = headers['x-exit-code'] ?? '0';
    if ((status === 200 || what.also?.includes(status)) && exit === '0') return status < 300 ? body : undefined;
    book.wrong.push(
      `${words.name} ${what.name} answered ${status} (${String(exit)}): ${JSON.stringify(body).slice(0, 300)}`,
    );
    return undefined;
  }

  /** Looks until the request is over. */
  async function await_(request_id: string): Promise<readonly string[]> {
    for (;;) {
      const answer = await call(words.status(request_id));
      if (answer === undefined) return [];
      const { over: ended, machine_ids } = words.standing(answer);
      if (ended) return machine_ids;
      await wait(100 + chance.roll(200));
    }
  }

  async function giveBack(deal: Deal, machine_ids: readonly string[]): Promise<void> {
    const answer = await call(words.giveBack(machine_ids));
    if (answer === undefined) return;
    for (const id of machine_ids) deal.returned.add(id);
    deal.returns.push(words.idIn(answer));
  }

  async function pause(began: number): Promise<void> {
    await wait(chance.roll(100));
    while (performance.now() < began + cycleMs && !over()) await wait(50);
  }

  // Not all begin at once.
  if (cycleMs > 0) await wait(chance.roll(cycleMs));
  while (!over()) {
    const began = performance.now();
    await call(words.templates());
    const machine_count = 1 + chance.roll(3);
    const answer = await call(words.ask(chance.pick(['run', 'fleet']), machine_count));
    if (answer === undefined) continue;
    const deal: Deal = {
      request_id: words.idIn(answer),
      machine_count,
      returned: new Set(),
      returns: [],
      cancelled: false,
    };
    book.deals.push(deal);
    if (words.cancel && chance.roll(10) === 0) {
      deal.cancelled = (await call(words.cancel(deal.request_id))) !== undefined;
      if (deal.cancelled) {
        await pause(began);
        continue;
      }
    }
    const machines = await await_(deal.request_id);
    await call(words.list());
    if (machines.length > 1 && chance.roll(2) === 0) await giveBack(deal, machines.slice(0, 1));
    if (!keeps || chance.roll(10) > 0) {
      const left = machines.filter((id) => !deal.returned.has(id));
      if (left.length > 0) await giveBack(deal, left);
      const last = deal.returns.at(-1);
      if (last !== undefined && !over()) await await_(last);
    }
    await pause(began);
  }
  line.close();
}
