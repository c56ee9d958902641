import type { Clock } from '../contract/clock.ts';
import { BrokerError, isBrokerError } from '../contract/errors.ts';
import { placesOf, sentences, type Finding } from '../contract/findings.ts';
import type { TemplateRecord } from '../model/records.ts';
import type { ProviderDirectory } from '../providers/directory.ts';
import type { CanonicalTemplate } from '../contract/scheduler.ts';
import { weightOf } from '../requests/queries/answer-budget.ts';
import type { Change, Store } from '../contract/storage.ts';
import type { TemplateLibrary } from './library.ts';
import type { TemplateReview } from './review.ts';
import { fieldCount, templateSize } from './template-size.ts';
import { verdictOn, type Verdict } from './verdict.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Templates made over the API, and their characters as JSON, about: files, which only the owner writes, may have any number. */
const mostTemplates = 1_000;
const mostBytes = 4 * 1024 * 1024;

/** How often a write is tried again when somebody else's came between. */
const tries = 50;

/** Where templates are made, changed and taken away over the faces. They are stored as the top layer; files are never written. */
export class TemplateService {
  readonly #library: TemplateLibrary;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #review: TemplateReview;
  readonly #directory: ProviderDirectory;

  constructor(library: TemplateLibrary, store: Store, clock: Clock, review: TemplateReview, directory: ProviderDirectory) {
    this.#library = library;
    this.#store = store;
    this.#clock = clock;
    this.#review = review;
    this.#directory = directory;
  }

  /** Whether fields make a template, in any spelling; `null` counts as absent. Stores nothing. */
  judge(raw: Fields): Verdict & { readonly fields: Fields } {
    const tooWide = tooWideIn(raw);
    if (tooWide) return { fields: idOf(raw), errors: [tooWide], warnings: [] };
    const { fields: given, findings } = this.#canonical(raw);
    const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
    const tooLarge = templateSize(fields);
    if (tooLarge) return { fields, errors: [...findings, tooLarge], warnings: [] };
    const { template_id, ...rest } = fields;
    // Without an id of its own it is judged under one that nobody has.
    const unnamed: Finding[] =
      template_id === undefined ? [{ level: 'warning', path: '/template_id', message: 'is needed to create it' }] : [];
    const { errors, warnings } = verdictOn({ ...rest, template_id: template_id ?? 'unnamed' }, this.#review, this.#directory);
    return { fields, errors: [...findings, ...errors], warnings: [...unnamed, ...warnings] };
  }

  /** The new id. Refuses with TEMPLATE_INVALID, all findings at once, or ALREADY_EXISTS: what a file holds is changed by an update. */
  async create(raw: Fields): Promise<string> {
    const { fields, errors } = this.judge(raw);
    const { template_id, ...rest } = fields;
    const unnamed: Finding[] = template_id === undefined ? [{ level: 'error', path: '/template_id', message: 'is required' }] : [];
    const id = String(template_id);
    refuse(id, [...unnamed, ...errors]);
    const taken = new BrokerError('ALREADY_EXISTS', `Template '${id}' exists already; update it instead.`, { template_id: id });
    if (await this.#exists(id)) throw taken;
    this.#refuseBeyond(1, rest);
    const now = this.#clock.now();
    try {
      await this.#commit(id, 'template.created', { op: 'insert', kind: 'template', record: recordOf(id, rest, now, now) });
    } catch (error) {
      throw isBrokerError(error) && error.code === 'ALREADY_EXISTS' ? taken : error;
    }
    return id;
  }

  /**
   * Absent fields stay, `null` takes one away, also one of a file. Refuses with TEMPLATE_NOT_FOUND, and with TEMPLATE_INVALID what the template
   * would become.
   */
  async update(template_id: string, raw: Fields): Promise<void> {
    refuse(template_id, [tooWideIn(raw) ?? []].flat());
    const { fields, findings } = this.#canonical(raw);
    const { template_id: other = template_id, ...changed } = fields;
    const message = `'${String(other)}' is another template than '${template_id}'`;
    refuse(template_id, [...findings, ...(other === template_id ? [] : [{ level: 'error', path: '/template_id', message } as const])]);
    for (let left = tries; ; left--) {
      const stored = await this.#store.get('template', { template_id });
      if (!stored) await this.#requireFiled(template_id);
      const fromFiles = this.#library.filesOf(template_id);
      const filed = new Set(fromFiles.flatMap((layer) => Object.keys(layer.fields)));
      const next = Object.fromEntries(
        // Where no file has the field, there is nothing for a null to hide.
        Object.entries({ ...stored?.fields, ...changed }).filter(([name, value]) => value !== null || filed.has(name)),
      );
      refuse(template_id, [templateSize(next) ?? []].flat());
      refuse(template_id, verdictOn(this.#library.merge(template_id, next), this.#review, this.#directory).errors);
      if (!stored && Object.keys(next).length === 0) return;
      this.#refuseBeyond(stored ? 0 : 1, changed);
      const now = this.#clock.now();
      const record = recordOf(template_id, next, stored?.created_at ?? now, now);
      try {
        return await this.#commit(
          template_id,
          'template.updated',
          stored ? { op: 'update', kind: 'template', record, version: stored.version } : { op: 'insert', kind: 'template', record },
        );
      } catch (error) {
        if (!cameBetween(error) || left === 0) throw error;
      }
    }
  }

  /** Takes away what was made over the faces; a file layer under it shows again. Refuses what only a file holds with CONFLICT. */
  async remove(template_id: string): Promise<void> {
    const files = this.#library.filesOf(template_id).map((layer) => layer.source_file);
    if (!(await this.#store.get('template', { template_id }))) {
      await this.#requireFiled(template_id);
      throw new BrokerError('CONFLICT', `Template '${template_id}' stands in the file ${files.join(', ')}; take it out there.`, {
        template_id,
        files,
      });
    }
    await this.#commit(template_id, 'template.deleted', { op: 'delete', kind: 'template', key: { template_id } });
  }

  /**
   * In canonical spelling, those of `configuration` under those beside it. Where a template comes from is told with it and is no field of it, so that
   * what was read can be written back.
   */
  #canonical({ configuration, ...beside }: Fields): CanonicalTemplate {
    const { fields, findings } = this.#review.canonical(beside);
    const under = configuration === undefined ? undefined : this.#review.canonical(configuration as Fields);
    const { source_info: _, sourceInfo: __, ...own } = { ...under?.fields, ...fields };
    const inside = under?.findings.map((finding) => ({ ...finding, path: `/configuration${finding.path}` })) ?? [];
    return { fields: own, findings: [...inside, ...findings] };
  }

  /** Stores a change with its line in the journal; this process reads its own writes. */
  async #commit(template_id: string, type: string, change: Change): Promise<void> {
    const at = this.#clock.now();
    const record = { seq: 0, at, type, data: { template_id } };
    await this.#store.commit([change, { op: 'insert', kind: 'event', record }]);
    await this.#library.follow();
  }

  async #exists(template_id: string): Promise<boolean> {
    if (this.#library.knows(template_id)) return true;
    await this.#library.look(template_id);
    return this.#library.knows(template_id);
  }

  /** Refuses a template that is not stored and in no file either, though this process may still remember one that another deleted. */
  async #requireFiled(template_id: string): Promise<void> {
    if (this.#library.filesOf(template_id).length > 0) return;
    await this.#library.look(template_id);
    if (!this.#library.knows(template_id)) this.#library.get(template_id);
  }

  /** All of them are in the memory of every process, and in the lists of schedulers that know no pages. */
  #refuseBeyond(more: number, fields: Fields): void {
    const { count, bytes } = this.#library.madeOverApi;
    const wrong =
      more > 0 && count + more > mostTemplates
        ? `there are ${count}, as many as there may be`
        : bytes + weightOf(fields) > mostBytes
          ? `they would have more than the ${mostBytes} characters that all of them together may have`
          : undefined;
    if (wrong)
      throw new BrokerError('CONFLICT', `Of templates made over the API ${wrong}. Delete some, or write them into a template file.`, {
        count,
      });
  }
}

/** Before anything is made of it. */
function tooWideIn({ configuration, ...beside }: Fields): Finding | undefined {
  return fieldCount(beside) ?? (typeof configuration === 'object' && configuration !== null ? fieldCount(configuration) : undefined);
}

const idOf = ({ template_id }: Fields): Fields => (template_id === undefined ? {} : { template_id });

const recordOf = (template_id: string, fields: Fields, created_at: number, updated_at: number): TemplateRecord => ({
  template_id,
  fields: { ...fields },
  created_at,
  updated_at,
  version: 1,
});

const cameBetween = (error: unknown): boolean => isBrokerError(error) && (error.code === 'CONFLICT' || error.code === 'ALREADY_EXISTS');

function refuse(template_id: string, errors: readonly Finding[]): void {
  if (errors.length === 0) return;
  throw new BrokerError('TEMPLATE_INVALID', sentences(errors), {
    template_id,
    findings: placesOf(errors),
  });
}
