import type { RequestRecord } from '../../core/model/request.ts';
import { Durations } from './durations.ts';
import { counter, type Family } from './family.ts';

/** Templates beyond this number share the label `other`: templates are made over the API too. */
const mostTemplates = 100;
const other = 'other';

/** Counts the requests for machines that ended in a process, and measures how long the completed ones took. */
export class RequestEnds {
  readonly #templates = new Set<string>();
  readonly #delivery = new Durations({
    name: 'muster_request_delivery_seconds',
    help: 'From the acceptance of a request to its completion, by template.',
    labels: ['template_id'],
    bounds: [1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600],
    most: mostTemplates + 1,
  });
  /** By template and status, as JSON. */
  readonly #ended = new Map<string, number>();
  readonly #delivered = new Map<string, number>();
  readonly #missing = new Map<string, number>();

  /** A request or return ended. Returns are not counted. */
  ended(request: RequestRecord): void {
    const { kind, status, machine_count, delivered, created_at, completed_at = created_at, shifted_ms = 0 } = request;
    if (kind !== 'provision') return;
    const template = this.#labelOf(request.template_id);
    add(this.#ended, JSON.stringify([template, status]), 1);
    add(this.#delivered, template, delivered);
    if (status !== 'cancelled') add(this.#missing, template, Math.max(0, machine_count - delivered));
    if (status === 'completed') this.#delivery.of(template).add(Math.max(0, completed_at - created_at - shifted_ms));
  }

  #labelOf(template_id: string | null): string {
    if (template_id === null || this.#templates.has(template_id)) return template_id ?? other;
    if (this.#templates.size >= mostTemplates) return other;
    this.#templates.add(template_id);
    return template_id;
  }

  families(): readonly Family[] {
    const byTemplate = (counts: ReadonlyMap<string, number>) =>
      [...counts].map(([template_id, count]) => [{ template_id }, count] as const);
    return [
      this.#delivery.family(),
      counter(
        'muster_requests_ended_total',
        'Requests for machines that ended, by template and status.',
        [...this.#ended].map(([key, count]) => {
          const [template_id, status] = JSON.parse(key) as [string, string];
          return [{ template_id, status }, count] as const;
        }),
      ),
      counter(
        'muster_machines_delivered_total',
        'Machines that requests delivered until they ended, by template.',
        byTemplate(this.#delivered),
      ),
      counter(
        'muster_machines_missing_total',
        'Machines that ended requests did not deliver, by template. Cancelled requests miss none.',
        byTemplate(this.#missing),
      ),
    ];
  }
}

const add = (counts: Map<string, number>, key: string, count: number) =>
  void counts.set(key, (counts.get(key) ?? 0) + count);
