import { Queue } from './queue.ts';

/** The queues of an account in a region, by name. Those that the knob `queues` names exist without a call. */
export interface QueueTable {
  get(name: string): Queue | undefined;
  /** Creates the queue unless it exists. */
  create(name: string, now: number): Queue;
  delete(name: string): boolean;
  all(): Iterable<Queue>;
}

export function createQueueTable(): QueueTable {
  const byName = new Map<string, Queue>();
  return {
    get: (name) => byName.get(name),
    create(name, now) {
      const known = byName.get(name);
      if (known) return known;
      const made = new Queue(name, now);
      byName.set(name, made);
      return made;
    },
    delete: (name) => byName.delete(name),
    all: () => byName.values(),
  };
}
