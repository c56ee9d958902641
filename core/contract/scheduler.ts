import type { TSchema } from 'typebox';
import type { Finding } from './findings.ts';
import type { MachineRecord } from '../model/machine.ts';
import type { RequestRecord } from '../model/request.ts';
import type { Template } from '../model/template.ts';
import type { MachineType } from './provider.ts';
import type { MachineKey } from '../model/machine.ts';

/** How one thing looks to a caller. Pure. */
export interface View<T> {
  /** The shape of what `render` returns: for documentation. */
  readonly schema: TSchema;
  render(value: T): unknown;
}

/** A request with its machines. */
export interface RequestDetail {
  readonly request: RequestRecord;
  /** Without those that failed and were replaced. Absent when the caller did not ask for them (`long=false`). */
  readonly machines?: readonly MachineRecord[];
  /** Return requests: what was asked back. */
  readonly machine_keys?: readonly MachineKey[];
  /** What a machine of it is like, where the provider knows. Absent where nobody looked it up. */
  readonly typeOf?: (machine: MachineRecord) => MachineType | undefined;
}

/** Part of a list with what is said about it. */
export interface ListOf<T> {
  readonly items: readonly T[];
  /** How many match in all. */
  readonly total_count: number;
  /** Where the answer would have become too large and was cut: the offset of the first entry that it lacks. */
  readonly next_offset?: number;
  /** Where entries were asked for by name: the names that nobody knows. */
  readonly not_found?: readonly string[];
  /** The filters that were given. */
  readonly filters?: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A template as callers see it. */
export interface TemplateDetail {
  readonly template: Template;
  /** What its machines are like, where the provider knows. */
  readonly machine_type?: MachineType;
  /** How many machines can be had now. Absent: nothing is known that speaks against any number. */
  readonly available?: number;
  /** What its files say in their own words, as far as nothing that is merged over them says otherwise. */
  readonly as_written?: readonly WrittenKey[];
}

/** A machine that the cloud takes, or took, back by itself. */
export interface Reclaimed {
  readonly machine_id: string;
  readonly name?: string;
  readonly reason: string;
  /** Seconds until it is gone; 0 when it is gone already. */
  readonly grace_period_s: number;
}

/** A key of a template file as it stands there. */
export interface WrittenKey {
  readonly key: string;
  readonly value: unknown;
  /** The fields that were read from it, in canonical spelling; none where it says nothing. */
  readonly fields: readonly string[];
}

/** One layer of one template, as read from a file, in canonical spelling. */
export interface TemplateLayer {
  readonly template_id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** For dialects that show a file's keys again as they were written. Default: none are kept. */
  readonly as_written?: readonly WrittenKey[];
}

/** What a dialect made of a template file. A template that is wrong is left out of `layers` and told in `findings`. */
export interface TemplatesRead {
  readonly layers: readonly TemplateLayer[];
  readonly findings: readonly Finding[];
}

/** How a list looks, entry by entry: so that of a long list only what changed has to be made anew. */
export interface ListView<T> extends View<ListOf<T>> {
  entry(value: T): unknown;
  /** The whole with these entries, in this order: given as they are, and nowhere else in it. */
  around(list: Omit<ListOf<T>, 'items'> & { readonly count: number }, entries: readonly unknown[]): unknown;
}

/** A list's view from its parts. */
export function listView<T>(parts: Omit<ListView<T>, 'render'>): ListView<T> {
  return { ...parts, render: (list) => parts.around({ ...list, count: list.items.length }, list.items.map(parts.entry)) };
}

/** How requests and templates look to one kind of caller. Pure. */
export interface SchedulerStrategy {
  readonly name: string;
  /**
   * What its answers are over REST, e.g. `text/csv; charset=utf-8`: the views then render text, and their schemas say so. Refusals stay JSON. Default:
   * `application/json`.
   */
  readonly media_type?: string;
  readonly requested: View<RequestDetail>;
  readonly returned: View<RequestDetail>;
  readonly status: View<RequestDetail>;
  readonly listed: ListView<RequestDetail>;
  readonly templates: View<ListOf<TemplateDetail>>;
  readonly reclaims: View<readonly Reclaimed[]>;
  /** My word for how a request stands, where an answer that looks the same under every scheduler tells it. Absent: muster's own. */
  statusWord?(request: RequestRecord): string;
  /**
   * Whether this file is of my dialect; asked of every loaded strategy, in configuration order. A file that none recognises is read by
   * the first strategy that reads templates and recognises nothing in particular.
   */
  recognises?(file: unknown, name: string): boolean;
  /** Reads a template file into layers with canonical field names; unknown keys are kept as written. */
  readTemplates?(file: unknown, canonical: (raw: Record<string, unknown>) => CanonicalTemplate): TemplatesRead;
}

/** A raw template in the spelling of its schema, with what is wrong with it. */
export interface CanonicalTemplate {
  readonly fields: Record<string, unknown>;
  readonly findings: readonly Finding[];
}
