import type { EventRecord } from '../model/records.ts';
import type { RequestRecord } from '../model/request.ts';

export const milestoneNames = ['accepted', 'selected', 'ordered', 'first_machine', 'all_ready', 'returned'] as const;
export type MilestoneName = (typeof milestoneNames)[number];

/** When a request reached each stage, in epoch milliseconds. null: not reached. */
export type Milestones = Readonly<Record<MilestoneName, number | null>>;

/** Finds the milestones of a request in its events, which may be added in parts, in their order. */
export class MilestoneFinder {
  readonly #request: RequestRecord;
  readonly #ready = new Set<string>();
  readonly #found: Record<MilestoneName, number | null>;
  #lastGone: number | null = null;

  constructor(request: RequestRecord) {
    this.#request = request;
    this.#found = {
      accepted: request.created_at,
      selected: null,
      ordered: null,
      first_machine: null,
      all_ready: null,
      returned: null,
    };
  }

  add(event: EventRecord): void {
    const found = this.#found;
    const { at, type } = event;
    switch (type) {
      case 'attempt.opened':
        found.selected ??= at;
        break;
      case 'attempt.launched':
        found.ordered ??= at;
        break;
      case 'machine.ready':
        found.first_machine ??= at;
        for (const id of machinesIn(event)) this.#ready.add(`${event.provider_instance}/${id}`);
        if (this.#ready.size >= this.#request.machine_count) found.all_ready ??= at;
        break;
      case 'machine.gone':
      case 'machine.lost':
      case 'machine.failed':
        if (type !== 'machine.failed') this.#lastGone = at;
        for (const id of machinesIn(event)) this.#ready.delete(`${event.provider_instance}/${id}`);
        break;
      case 'return.completed':
      case 'return.failed':
        found.returned ??= at;
        break;
    }
  }

  /** `living`: how many machines of the request live. The machines are returned when none does any more. */
  milestones(living: number): Milestones {
    const { kind, completed_at } = this.#request;
    const isOver = kind === 'provision' && completed_at !== undefined && living === 0;
    return { ...this.#found, ...(isOver ? { returned: this.#lastGone } : {}) };
  }
}

/** The machines of an event. */
export const machinesIn = ({ data }: EventRecord): readonly string[] =>
  Array.isArray(data['machine_ids']) ? (data['machine_ids'] as readonly string[]) : [];
