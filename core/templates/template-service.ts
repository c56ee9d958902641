import { newEvent } from '../contract/commits/new-event.ts';
import type { Clock } from '../contract/clock.ts';
import { BrokerError, isBrokerError } from '../contract/errors.ts';
import { placesOf, sentences, type Finding } from '../contract/findings.ts';
import type { EventType } from '../journal/event-types.ts';
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

/**
 * The most templates written over the API, and their approximate total size in characters of JSON. Template files,
 * which only the operator writes, have no such limit.
 */
const mostTemplates = 1_000;
const mostBytes = 4 * 1024 * 1024;

/** The number of retries after a concurrent write. */
const tries = 50;

/** Creates, updates and deletes templates over the API. They are stored as the top layer; files are never written. */
export class TemplateService {
  readonly #library: TemplateLibrary;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #review: TemplateReview;
  readonly #directory: ProviderDirectory;

  constructor(
    library: TemplateLibrary,
    store: Store,
    clock: Clock,
    review: TemplateReview,
    directory: ProviderDirectory,
  ) {
    this.#library = library;
    this.#store = store;
    this.#clock = clock;
    this.#review = review;
    this.#directory = directory;
  }

  /** Whether fields make a valid template, in any spelling; `null` counts as absent. Stores nothing. */
  judge(raw: Fields): Verdict & { readonly fields: Fields } {
    const tooWide = tooWideIn(raw);
    if (tooWide) return { fields: idOf(raw), errors: [tooWide], warnings: [] };
    const { fields: given, findings } = this.#canonical(raw);
    const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
    const tooLarge = templateSize(fields);
    if (tooLarge) return { fields, errors: [...findings, tooLarge], warnings: [] };
    const { template_id, ...rest } = fields;
    // A template without an id is checked under a placeholder id.
    const unnamed: Finding[] =
      template_id === undefined ? [{ level: 'warning', path: '/template_id', message: 'is needed to create it' }] : [];
    const { errors, warnings } = verdictOn(
      { ...rest, template_id: template_id ?? 'unnamed' },
      this.#review,
      this.#directory,
    );
    return { fields, errors: [...findings, ...errors], warnings: [...unnamed, ...warnings] };
  }

  /**
   * Creates a template and returns its id. Throws TEMPLATE_INVALID with all findings, or ALREADY_EXISTS, also for a
   * template of a file, which only an update can change.
   */
  async create(raw: Fields): Promise<string> {
    const { fields, errors } = this.judge(raw);
    const { template_id, ...rest } = fields;
    const unnamed: Finding[] =
      template_id === undefined ? [{ level: 'error', path: '/template_id', message: 'is required' }] : [];
    const id = String(template_id);
    refuse(id, [...unnamed, ...errors]);
    const taken = new BrokerError('ALREADY_EXISTS', `Template '${id}' already exists. Update it instead.`, {
      template_id: id,
    });
    if (await this.#exists(id)) throw taken;
    this.#refuseBeyond(1, rest);
    const now = this.#clock.now();
    try {
      await this.#commit(id, 'template.created', {
        op: 'insert',
        kind: 'template',
        record: recordOf(id, rest, now, now),
      });
    } catch (error) {
      throw isBrokerError(error) && error.code === 'ALREADY_EXISTS' ? taken : error;
    }
    return id;
  }

  /**
   * Changes fields of a template. Absent fields stay; `null` removes a field, also a field of a file. Throws
   * TEMPLATE_NOT_FOUND, or TEMPLATE_INVALID when the resulting template is invalid.
   */
  async update(template_id: string, raw: Fields): Promise<void> {
    refuse(template_id, [tooWideIn(raw) ?? []].flat());
    const { fields, findings } = this.#canonical(raw);
    const { template_id: other = template_id, ...changed } = fields;
    const message = `'${String(other)}' is another template than '${template_id}'`;
    refuse(template_id, [
      ...findings,
      ...(other === template_id ? [] : [{ level: 'error', path: '/template_id', message } as const]),
    ]);
    for (let left = tries; ; left--) {
      const stored = await this.#store.get('template', { template_id });
      if (!stored) await this.#requireFiled(template_id);
      const fromFiles = this.#library.filesOf(template_id);
      const filed = new Set(fromFiles.flatMap((layer) => Object.keys(layer.fields)));
      const next = Object.fromEntries(
        // A null is only stored where a file has the field.
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
          stored
            ? { op: 'update', kind: 'template', record, version: stored.version }
            : { op: 'insert', kind: 'template', record },
        );
      } catch (error) {
        if (!cameBetween(error) || left === 0) throw error;
      }
    }
  }

  /**
   * Deletes the layer of the API; a file layer becomes visible again. Throws CONFLICT for a template that exists only
   * in files.
   */
  async remove(template_id: string): Promise<void> {
    const files = this.#library.filesOf(template_id).map((layer) => layer.source_file);
    if (!(await this.#store.get('template', { template_id }))) {
      await this.#requireFiled(template_id);
      throw new BrokerError(
        'CONFLICT',
        `Template '${template_id}' is defined in the file ${files.join(', ')}. Delete it there.`,
        {
          template_id,
          files,
        },
      );
    }
    await this.#commit(template_id, 'template.deleted', { op: 'delete', kind: 'template', key: { template_id } });
  }

  /**
   * Canonical spelling of the fields, including those inside `configuration`; fields beside `configuration` take
   * precedence. Removes `source_info`, which is part of answers and not of the template, so that a caller can write
   * back an answer.
   */
  #canonical({ configuration, ...beside }: Fields): CanonicalTemplate {
    const { fields, findings } = this.#review.canonical(beside);
    const under = configuration === undefined ? undefined : this.#review.canonical(configuration as Fields);
    const { source_info: _, sourceInfo: __, ...own } = { ...under?.fields, ...fields };
    const inside = under?.findings.map((finding) => ({ ...finding, path: `/configuration${finding.path}` })) ?? [];
    return { fields: own, findings: [...inside, ...findings] };
  }

  /** Commits a change with its event, then reads the stored layers, so that this process sees its own write. */
  async #commit(template_id: string, type: EventType, change: Change): Promise<void> {
    await this.#store.commit([change, newEvent(this.#clock.now(), type, { template_id })]);
    await this.#library.follow();
  }

  async #exists(template_id: string): Promise<boolean> {
    if (this.#library.knows(template_id)) return true;
    await this.#library.look(template_id);
    return this.#library.knows(template_id);
  }

  /**
   * Throws TEMPLATE_NOT_FOUND for a template that is neither stored nor in a file, even if this process still has a
   * copy that another process deleted.
   */
  async #requireFiled(template_id: string): Promise<void> {
    if (this.#library.filesOf(template_id).length > 0) return;
    await this.#library.look(template_id);
    if (!this.#library.knows(template_id)) this.#library.get(template_id);
  }

  /**
   * The limits exist because every process keeps all templates in memory, and because some schedulers list them
   * without pages.
   */
  #refuseBeyond(more: number, fields: Fields): void {
    const { count, bytes } = this.#library.madeOverApi;
    const wrong =
      more > 0 && count + more > mostTemplates
        ? `there are ${count}, the maximum number`
        : bytes + weightOf(fields) > mostBytes
          ? `their total size would exceed ${mostBytes} characters`
          : undefined;
    if (wrong)
      throw new BrokerError(
        'CONFLICT',
        `Too many templates are stored over the API: ${wrong}. Delete some, or write them into a template file.`,
        {
          count,
        },
      );
  }
}

/** Checked before the fields are processed. */
function tooWideIn({ configuration, ...beside }: Fields): Finding | undefined {
  return (
    fieldCount(beside) ??
    (typeof configuration === 'object' && configuration !== null ? fieldCount(configuration) : undefined)
  );
}

const idOf = ({ template_id }: Fields): Fields => (template_id === undefined ? {} : { template_id });

const recordOf = (template_id: string, fields: Fields, created_at: number, updated_at: number): TemplateRecord => ({
  template_id,
  fields: { ...fields },
  created_at,
  updated_at,
  version: 1,
});

const cameBetween = (error: unknown): boolean =>
  isBrokerError(error) && (error.code === 'CONFLICT' || error.code === 'ALREADY_EXISTS');

function refuse(template_id: string, errors: readonly Finding[]): void {
  if (errors.length === 0) return;
  throw new BrokerError('TEMPLATE_INVALID', sentences(errors), {
    template_id,
    findings: placesOf(errors),
  });
}
