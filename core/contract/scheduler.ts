import type { TSchema } from 'typebox';
import type { Finding } from './findings.ts';
import type { MachineRecord, MachineKey } from '../model/machine.ts';
import type { RequestRecord } from '../model/request.ts';
import type { Template } from '../model/template.ts';
import type { MachineType } from './provider/resources.ts';

/**
 * Renders one kind of answer for a caller. Pure: it answers at once, not with a promise, and leaves `value` as it is.
 */
export interface View<T> {
  /** The schema of the result of `render`, for documentation. */
  readonly schema: TSchema;
  render(value: T): unknown;
}

/** A request with its machines. */
export interface RequestDetail {
  readonly request: RequestRecord;
  /**
   * Without machines that failed and were replaced. Absent when the caller did not ask for machines (`long=false`).
   */
  readonly machines?: readonly MachineRecord[];
  /** Only for return requests: the machines that the caller returned. */
  readonly machine_keys?: readonly MachineKey[];
  /** When the provider was last asked for the machines, in epoch milliseconds. Absent: not yet, or not looked up. */
  readonly observed_at?: number;
  /** The time for which costs are computed, in epoch milliseconds. Absent: the answer has no costs. */
  readonly costs_at?: number;
  /** The machine type of a machine of the request, where the provider knows it. Absent: it was not looked up. */
  readonly typeOf?: (machine: MachineRecord) => MachineType | undefined;
}

/** Part of a list, with its context. */
export interface ListOf<T> {
  readonly items: readonly T[];
  /** How many entries match in total. */
  readonly total_count: number;
  /** Only when the answer was cut because of its size: the offset of the first entry that is not in the answer. */
  readonly next_offset?: number;
  /** When entries are named: the names that do not exist. */
  readonly not_found?: readonly string[];
  /** The filters of the caller. */
  readonly filters?: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A template as callers see it. */
export interface TemplateDetail {
  readonly template: Template;
  /** The machine type of the template, where the provider knows it. */
  readonly machine_type?: MachineType;
  /** How many machines are available now. Absent: no limit is known. */
  readonly available?: number;
  /** The keys of its files in their own spelling, except those that a later layer overrides. */
  readonly as_written?: readonly WrittenKey[];
}

/** A machine that its caller loses: the cloud takes it back, or its lease ends. */
export interface Reclaimed {
  readonly machine_id: string;
  readonly name?: string;
  readonly reason: string;
  /** Seconds until the machine is gone. 0: it is gone already. */
  readonly grace_period_s: number;
}

/** A key of a template file, unchanged. */
export interface WrittenKey {
  readonly key: string;
  readonly value: unknown;
  /** The fields that were read from the key, in canonical spelling. Empty: the key sets no field. */
  readonly fields: readonly string[];
}

/** One layer of one template, read from a file, in canonical spelling. */
export interface TemplateLayer {
  readonly template_id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** For dialects that show the keys of a file again as they were written. Default: none are kept. */
  readonly as_written?: readonly WrittenKey[];
}

/** The result of reading a template file. An invalid template is not in `layers`; `findings` reports it. */
export interface TemplatesRead {
  readonly layers: readonly TemplateLayer[];
  readonly findings: readonly Finding[];
}

/** Renders a list entry by entry, so that a long list only renders the entries that changed. */
export interface ListView<T> extends View<ListOf<T>> {
  entry(value: T): unknown;
  /**
   * Renders the list around rendered entries. The result contains the entries unchanged, in this order, in exactly one
   * place.
   */
  around(list: Omit<ListOf<T>, 'items'> & { readonly count: number }, entries: readonly unknown[]): unknown;
}

/** Makes the view of a list from its parts. */
export function listView<T>(parts: Omit<ListView<T>, 'render'>): ListView<T> {
  return {
    ...parts,
    render: (list) => parts.around({ ...list, count: list.items.length }, list.items.map(parts.entry)),
  };
}

/** Renders requests and templates for one kind of caller. Pure. */
export interface SchedulerStrategy {
  readonly name: string;
  /**
   * The media type of its answers over REST, for example `text/csv; charset=utf-8`. The views then render text, and
   * their schemas say so. Errors stay JSON. Default: `application/json`.
   */
  readonly media_type?: string;
  readonly requested: View<RequestDetail>;
  readonly returned: View<RequestDetail>;
  readonly status: View<RequestDetail>;
  readonly listed: ListView<RequestDetail>;
  readonly templates: View<ListOf<TemplateDetail>>;
  readonly reclaims: View<readonly Reclaimed[]>;
  /**
   * This strategy's word for the status of a request, for answers that look the same under every scheduler. Absent:
   * the status word of muster.
   */
  statusWord?(request: RequestRecord): string;
  /**
   * Whether a file is of this dialect. The core asks every loaded strategy, in configuration order. A file that no
   * strategy recognizes is read by the first strategy that has `readTemplates` and no `recognizes`.
   */
  recognizes?(file: unknown, name: string): boolean;
  /** Reads a template file into layers with canonical field names. Unknown keys stay as written. */
  readTemplates?(file: unknown, canonical: (raw: Record<string, unknown>) => CanonicalTemplate): TemplatesRead;
}

/** A raw template in the spelling of its schema, with findings about it. */
export interface CanonicalTemplate {
  readonly fields: Record<string, unknown>;
  readonly findings: readonly Finding[];
}
