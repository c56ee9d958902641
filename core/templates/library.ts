import { BrokerError } from '../contract/errors.ts';
import { firstOf, isError, sentence, sentences, type Finding } from '../contract/findings.ts';
import type { TemplateRecord } from '../model/records.ts';
import type { Placed } from '../model/template.ts';
import type { Template } from '../model/template.ts';
import type { TemplateDetail } from '../contract/scheduler.ts';
import { nearest } from '../schema/spelling.ts';
import type { Store } from '../contract/storage.ts';
import { mergeLayers, type FileLayer, type LayerSet, type MergeOptions, type SourceInfo } from './layers.ts';
import { mergeAll, noTemplates, type AllTemplates } from './merge-all.ts';
import { selectPage, type Placement, type TemplateQuery } from './select-page.ts';
import type { TemplateReview } from './review.ts';
import { withLastGood } from './last-good.ts';

export interface LibraryOptions {
  /** Reads the template files. Rejects only when the directory itself cannot be read. */
  readonly load: () => Promise<LayerSet>;
  /** Has the layers made over the API. */
  readonly store: Store;
  readonly review: TemplateReview;
  readonly merge: MergeOptions;
  /** What serves a template that does not say so itself; filters go by it. Default: what the template says. */
  readonly place?: (template: Template) => Placement;
}

/** What the library holds, for people. */
export interface CacheStats {
  readonly templates: number;
  readonly files: number;
  readonly made_over_api: number;
  /** How many times everything was read. */
  readonly loads: number;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** All templates, merged and in memory. Files are read at `open` and `refresh`; layers of the API are read again when the store says so. */
export class TemplateLibrary implements Disposable {
  readonly #options: LibraryOptions;
  #files: LayerSet = { layers: [], findings: [], files: [] };
  #stored: ReadonlyMap<string, TemplateRecord> = new Map();
  #all: AllTemplates = noTemplates;
  #loads = 0;
  /** Reads of the store are numbered as they begin, so that one which was overtaken does not undo what the later one found. */
  #begun = 0;
  #kept = 0;
  #reading: Promise<void> | undefined;
  #again: Promise<void> | undefined;
  #watch: Disposable | undefined;

  private constructor(options: LibraryOptions) {
    this.#options = options;
  }

  /** A library that has read everything and follows the store. */
  static async open(options: LibraryOptions): Promise<TemplateLibrary> {
    const library = new TemplateLibrary(options);
    await library.refresh();
    library.#watch = options.store.watch((kinds) => {
      // A read that fails leaves what is known; the next change, or a miss, brings another.
      if (kinds.has('template')) library.#readStored().catch(() => undefined);
    });
    return library;
  }

  /** The template of this id, frozen. TEMPLATE_NOT_FOUND with the nearest ids; TEMPLATE_INVALID when its layers are wrong. */
  get(template_id: string): Template {
    return (this.#all.merged.get(template_id) ?? this.#missing(template_id)).template;
  }

  find(template_id: string): Template | undefined {
    return this.#all.merged.get(template_id)?.template;
  }

  /** As `get`, but a miss asks the store first, by its id alone: another process may have made it a moment ago. */
  async seek(template_id: string): Promise<Template> {
    if (!this.#all.merged.has(template_id)) await this.look(template_id);
    return this.get(template_id);
  }

  /** Takes in what the store has under one id. An id that nobody has costs one question, whatever else there is. */
  async look(template_id: string): Promise<void> {
    const known = this.#stored.get(template_id);
    const record = await this.#options.store.get('template', { template_id });
    if (record?.version === known?.version && record?.updated_at === known?.updated_at) return;
    await this.#readStored();
  }

  /** What was made over the API comes to: how many there are, and their characters as JSON. */
  get madeOverApi(): { readonly count: number; readonly bytes: number } {
    return { count: this.#stored.size, bytes: this.#all.stored_bytes };
  }

  /** A template as instances may serve it; refuses as `get` does. */
  placed(template_id: string): Placed {
    const { template, variants } = this.#all.merged.get(template_id) ?? this.#missing(template_id);
    return { template, ...(variants ? { variants: Object.fromEntries(variants) } : {}) };
  }

  /** Where a template comes from; refuses as `get` does. */
  source(template_id: string): SourceInfo {
    return (this.#all.merged.get(template_id) ?? this.#missing(template_id)).source_info;
  }

  /** The template as the files of one instance have it; that of `get` where they say nothing of their own. */
  forInstance(template_id: string, instance: string): Template {
    const merged = this.#all.merged.get(template_id) ?? this.#missing(template_id);
    return merged.variants?.get(instance) ?? merged.template;
  }

  /** The instances to which several instance files open a template; undefined: no such bound. */
  openTo(template_id: string): readonly string[] | undefined {
    const variants = this.#all.merged.get(template_id)?.variants;
    return variants && [...variants.keys()];
  }

  /** The file layers under a template, least specific first: whether a delete has something to show again. */
  filesOf(template_id: string): readonly FileLayer[] {
    return this.#files.layers.filter((layer) => layer.template_id === template_id);
  }

  /** Whether a template of this id is there, be it a wrong one. */
  knows(template_id: string): boolean {
    return this.#all.merged.has(template_id) || this.#all.invalid.has(template_id);
  }

  /** What a template would be with this layer over its files. */
  merge(template_id: string, api: Readonly<Record<string, unknown>>): Template {
    return mergeLayers(template_id, this.filesOf(template_id), api, this.#options.merge).template;
  }

  /** Reads what was made over the API anew. */
  async follow(): Promise<void> {
    await this.#readStored();
  }

  /** Templates in the order of their ids, filtered, sorted and cut. INVALID_REQUEST for a field that cannot be sorted by. */
  list(query: TemplateQuery = {}): { readonly items: readonly TemplateDetail[]; readonly total_count: number } {
    return selectPage([...this.#all.merged.values()], query, this.#options.review, this.#options.place);
  }

  /** Reads files and store anew. Calls that come meanwhile share one further read, so that each sees what was there when it came. */
  refresh(): Promise<void> {
    if (!this.#reading) return (this.#reading = this.#read().finally(() => (this.#reading = undefined)));
    return (this.#again ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#again = undefined;
        return this.refresh();
      }));
  }

  /** What is wrong in files and merged templates. */
  get findings(): readonly Finding[] {
    return this.#all.findings;
  }

  get cacheStats(): CacheStats {
    return {
      templates: this.#all.merged.size,
      files: this.#files.files.length,
      made_over_api: this.#stored.size,
      loads: this.#loads,
      errors: this.#all.findings.filter(isError).map(sentence),
      warnings: this.#all.findings.filter((finding) => !isError(finding)).map(sentence),
    };
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
  }

  async #read(): Promise<void> {
    this.#files = withLastGood(await this.#options.load(), this.#files);
    this.#loads += 1;
    // Afterwards: what is stored while the files are read counts too.
    await this.#readStored();
  }

  async #readStored(): Promise<void> {
    const turn = ++this.#begun;
    const stored = await this.#options.store.find('template', {});
    if (turn < this.#kept) return;
    this.#kept = turn;
    this.#stored = new Map(stored.map((record) => [record.template_id, record]));
    this.#merge();
  }

  #merge(): void {
    const { review, merge } = this.#options;
    this.#all = mergeAll(this.#files, this.#stored, { review, merge }, this.#all);
  }

  #missing(template_id: string): never {
    const wrong = this.#all.invalid.get(template_id);
    if (wrong)
      throw new BrokerError('TEMPLATE_INVALID', `Template '${template_id}' cannot be used: ${sentences(wrong)}`, {
        template_id,
        findings: firstOf(wrong),
      });
    const near = nearest(template_id, [...this.#all.merged.keys()]);
    const suggestion = near
      ? `Did you mean '${near}'?`
      : this.#all.merged.size === 0
        ? 'There are no templates at all.'
        : 'List the templates to see which exist.';
    throw new BrokerError('TEMPLATE_NOT_FOUND', `No template has the id '${template_id}'. ${suggestion}`, { template_id, suggestion });
  }
}
