import { BrokerError, type Kind } from '../../../core/index.ts';
import { FlightError, sqlState } from '../connections/connection.ts';
import type { Row, Statement } from '../connections/statement.ts';
import {
  causeOf,
  isConflict,
  isLockTimeout,
  isOfTheDatabase,
  misuse,
  refusal,
  states,
  text,
  unavailable,
} from '../database/failures.ts';
import { times } from '../database/times.ts';
import type { GroupStatements, Marks } from './group-statements.ts';
import { mergedInserts, type InsertMany } from './merged-inserts.ts';
import type { Step, Work } from './work.ts';

/** The calls around each group. */
export interface GroupHooks {
  /** Called when a group that changes records is durable. */
  readonly committed: (kinds: ReadonlySet<Kind>, marks: Marks) => void;
  /** Called when work was refused because the database cannot serve. */
  readonly failed: (error: BrokerError, count: number) => void;
  /** Called after each durable group. */
  readonly wrote: () => void;
}

interface Waiting {
  readonly work: Work;
  readonly since: number;
  /** Whether its group has failed because others held a lock for long. */
  waitedForLocks: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/** The most rows of a group. */
const maxRows = 200;

/** How often a group is repeated after a conflict with the transactions of others. */
const maxConflicts = 5;

/**
 * Commits all work that waits in one transaction, so that all share the cost of durability. One transaction runs at a
 * time; what comes meanwhile is the next group. A transaction is sent in one go: it ends on the server even when this
 * process is suspended after it.
 *
 * A refused change fails its transaction. The work before it is committed alone; then the refused work is first, so
 * that its refusal depends on durable work only, and is final.
 */
export class GroupQueue {
  readonly #run: (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;
  readonly #statements: GroupStatements;
  readonly #insertMany: InsertMany;
  readonly #place: string;
  readonly #hooks: GroupHooks;
  #waiting: Waiting[] = [];
  /** The most works of the next group. */
  #most = Infinity;
  #succeededAt = -Infinity;
  #working: Promise<void> | undefined;

  constructor(
    run: (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>,
    statements: GroupStatements,
    insertMany: InsertMany,
    place: string,
    hooks: GroupHooks,
  ) {
    this.#run = run;
    this.#statements = statements;
    this.#insertMany = insertMany;
    this.#place = place;
    this.#hooks = hooks;
  }

  /** Resolves when the work is durable. */
  add(work: Work): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, since: performance.now(), waitedForLocks: false, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  /** Resolves when the queue is empty. */
  async drain(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    // The work of this turn of the event loop makes one group.
    await new Promise((resolve) => setImmediate(resolve));
    const expiry = setInterval(() => this.#expire(), times.callMs / 20);
    while (this.#waiting.length > 0) await this.#commit(this.#group());
    clearInterval(expiry);
    this.#working = undefined;
  }

  #group(): Waiting[] {
    let size = 0;
    const full = this.#waiting.findIndex(({ work }) => (size += work.size) > maxRows);
    const end = Math.min(full < 0 ? this.#waiting.length : Math.max(full, 1), this.#most);
    return this.#waiting.splice(0, end);
  }

  /** Refuses what waited too long while no group succeeded. None of it was sent. */
  #expire(): void {
    const oldest = performance.now() - times.callMs;
    if (this.#succeededAt > oldest) return;
    const late = this.#waiting.filter(({ since }) => since < oldest);
    if (late.length === 0) return;
    this.#waiting = this.#waiting.filter(({ since }) => since >= oldest);
    this.#fail(late, unavailable(this.#place, new Error('it does not answer')));
  }

  async #commit(group: readonly Waiting[], merges = true, conflicts = 0): Promise<void> {
    const works = group.map(({ work }) => work);
    const before = this.#statements.before(works);
    const merged = merges ? mergedInserts(works, this.#insertMany) : undefined;
    const steps = merged ? [...merged.inserts, ...merged.steps] : works.flatMap((work) => work.steps);
    const after = this.#statements.after(works);
    try {
      const results = await this.#run([...before, ...steps, ...after]);
      this.#succeed(group, results[before.length + steps.length]?.[0], after.length > 1);
    } catch (error) {
      if (!(error instanceof FlightError)) return this.#fail(group, unavailable(this.#place, error));
      if (isConflict(error) && conflicts < maxConflicts) return this.#commit(group, merges, conflicts + 1);
      if (isLockTimeout(error) && this.#waitsAgain(group)) return;
      if (isConflict(error) || isOfTheDatabase(error))
        // Without an answer the transaction may have reached its end.
        return this.#fail(group, unavailable(this.#place, error, error.answered ? undefined : 'unknown'));
      if (merged) return this.#commit(group, false, conflicts);
      return this.#split(group, error, error.index - before.length);
    }
  }

  /**
   * Queues a group again that waited for a lock in vain, once, if its oldest work has time for that. What came
   * meanwhile joins it, so that no work waits for a lock behind two others.
   */
  #waitsAgain(group: readonly Waiting[]): boolean {
    const [oldest] = group;
    if (!oldest || oldest.waitedForLocks) return false;
    if (performance.now() + times.lockMs > oldest.since + times.callMs) return false;
    for (const each of group) each.waitedForLocks = true;
    this.#waiting.unshift(...group);
    return true;
  }

  #succeed(group: readonly Waiting[], marks: Row | undefined, changed: boolean): void {
    this.#most *= 2;
    this.#succeededAt = performance.now();
    this.#hooks.wrote();
    for (const { resolve } of group) resolve();
    if (!changed) return;
    const kinds = new Set(group.flatMap(({ work }) => [...work.kinds]));
    this.#hooks.committed(kinds, this.#statements.read(marks));
  }

  /** One statement failed and nothing of the group is written. */
  #split(group: readonly Waiting[], error: FlightError, index: number): void {
    let end = 0;
    const at = group.findIndex(({ work }) => index < (end += work.steps.length));
    const failed = group[at];
    // A statement of the queue itself.
    if (!failed) return this.#fail(group, refusal(error, this.#place));
    const refused = refusalOf(failed.work.steps[index - end + failed.work.steps.length], error);
    if (refused === 'repeat' || at > 0) {
      this.#waiting.unshift(...group);
      // Work that follows a refusal is often refused too: small groups waste less.
      this.#most = Math.max(at, 1);
      return;
    }
    this.#most = Math.max(1, Math.floor(Math.min(group.length, this.#most) / 2));
    failed.reject(refused);
    this.#waiting.unshift(...group.slice(1));
  }

  #fail(group: readonly Waiting[], error: BrokerError): void {
    this.#hooks.failed(error, group.length);
    for (const { reject } of group) reject(error);
  }
}

function refusalOf(step: Step | undefined, error: FlightError): BrokerError | 'repeat' {
  const cause = causeOf(error);
  const state = sqlState(cause);
  if (step?.refused && (state === states.refused || state === states.uniqueViolation))
    return step.refused((cause as Error).message);
  return misuse(`The storage could not execute a statement: ${text(cause)}.`, cause);
}
