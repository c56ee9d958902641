import { setImmediate as turn } from 'node:timers/promises';
import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import type { Call } from '../../../core/index.ts';
import { sessionField, type CloudSession } from '../../cloud/index.ts';
import { pagesOfGroups } from './pages-of-groups.ts';

/** The most names of one call. */
const namesPerCall = 50;
/**
 * An observation may use an answer of this age when the observed groups fit into one call, and an older one otherwise.
 * A group that may still get machines is read more often.
 */
const recentMs = { complete: 2_000, growing: 500 };
/** A group that was observed within this time is described with others, so that its next observation needs no call. */
const observedMs = 10_000;
const mostKept = 2_000;

/** What is known about one group. Times are monotonic milliseconds. */
interface Known {
  observedAt: number;
  /** The last answer, and when its call was sent. */
  answer?: { readonly group: AutoScalingGroup | undefined; readonly at: number } | undefined;
  /** Counts the beginnings and ends of changes: an answer of an earlier call does not show them. */
  changes: number;
}

interface Batch {
  readonly names: Set<string>;
  readonly stop: AbortController;
  /** How many callers still need the answer. */
  waiting: number;
  readonly answer: Promise<ReadonlyMap<string, AutoScalingGroup>>;
}

/**
 * Reads of groups by name, in few calls: all actions of Auto Scaling share one small rate limit. Names join a call
 * that waits for the rate limit, and a call takes other observed groups with it.
 */
class GroupReads {
  readonly #session: CloudSession;
  readonly #known = new Map<string, Known>();
  #open: Batch | undefined;

  constructor(session: CloudSession) {
    this.#session = session;
  }

  /** A group as a call shows it that is sent from now on. Undefined: the cloud shows none of that name. */
  async read(name: string, call: Call): Promise<AutoScalingGroup | undefined> {
    call.signal.throwIfAborted();
    const open = this.#open;
    const batch = open && open.names.size < namesPerCall && !open.stop.signal.aborted ? open : this.#begin(call);
    batch.names.add(name);
    batch.waiting += 1;
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => {
      batch.waiting -= 1;
      if (batch.waiting === 0) batch.stop.abort(call.signal.reason);
      aborted.reject(call.signal.reason);
    };
    call.signal.addEventListener('abort', abort, { once: true });
    try {
      return (await Promise.race([batch.answer, aborted.promise])).get(name);
    } finally {
      call.signal.removeEventListener('abort', abort);
    }
  }

  /**
   * The same for an observation, for which a recent answer is sufficient. `isComplete`: the group has all members that
   * it gets.
   */
  async observe(
    name: string,
    isComplete: (group: AutoScalingGroup) => boolean,
    call: Call,
  ): Promise<AutoScalingGroup | undefined> {
    const known = this.#knownOf(name);
    const now = this.#session.clock.monotonic();
    known.observedAt = now;
    const { answer } = known;
    if (answer) {
      const calls = Math.ceil(this.#observed(now).length / namesPerCall);
      const age = answer.group && isComplete(answer.group) ? recentMs.complete : recentMs.growing;
      if (now - answer.at < age * calls) return answer.group;
    }
    return this.read(name, call);
  }

  /** Changes a group. Answers of calls that were sent before the end of the change are not used any more. */
  async change<T>(name: string, act: () => Promise<T>): Promise<T> {
    this.#forget(name);
    try {
      return await act();
    } finally {
      this.#forget(name);
    }
  }

  #forget(name: string): void {
    const known = this.#knownOf(name);
    known.answer = undefined;
    known.changes += 1;
  }

  /** The names that were observed lately. */
  #observed(now: number): readonly string[] {
    return [...this.#known].flatMap(([name, { observedAt }]) => (now - observedAt < observedMs ? [name] : []));
  }

  #begin(call: Call): Batch {
    const stop = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, AutoScalingGroup>>();
    const batch: Batch = { names: new Set(), stop, waiting: 0, answer: promise };
    // After an abort nobody waits for the answer.
    promise.catch(() => undefined);
    this.#open = batch;
    this.#send(batch, { log: call.log, fence: () => undefined, signal: stop.signal }).then(resolve, reject);
    return batch;
  }

  async #send(batch: Batch, call: Call): Promise<ReadonlyMap<string, AutoScalingGroup>> {
    try {
      // What begins at the same time shares the call.
      await turn();
      await this.#session.groups.admit('DescribeAutoScalingGroups', call);
    } finally {
      if (this.#open === batch) this.#open = undefined;
    }
    const now = this.#session.clock.monotonic();
    const names = [...new Set([...batch.names, ...this.#observed(now)])].slice(0, namesPerCall);
    const before = names.map((name) => this.#knownOf(name).changes);
    const found = new Map<string, AutoScalingGroup>();
    for await (const group of pagesOfGroups(this.#session, { AutoScalingGroupNames: names }, call, { admitted: true }))
      found.set(group.AutoScalingGroupName ?? '', group);
    names.forEach((name, index) => {
      const known = this.#knownOf(name);
      if (known.changes === before[index]) known.answer = { group: found.get(name), at: now };
    });
    for (const known of this.#known.values()) if (now - known.observedAt >= observedMs) known.answer = undefined;
    return found;
  }

  #knownOf(name: string): Known {
    const known = this.#known.get(name) ?? { observedAt: -Infinity, changes: 0 };
    this.#known.delete(name);
    this.#known.set(name, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= mostKept) break;
      this.#known.delete(oldest);
    }
    return known;
  }
}

/** The reads of groups of a session. */
export const groupReads = sessionField((session) => new GroupReads(session));

/** Sends a call that changes a group. */
export async function changeGroup(
  session: CloudSession,
  name: string,
  ...write: Parameters<CloudSession['groups']['write']>
): Promise<void> {
  await groupReads(session).change(name, () => session.groups.write(...write));
}
