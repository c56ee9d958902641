import { systemClock, type Clock } from '../contract/clock.ts';
import { BrokerError } from '../contract/errors.ts';
import { firstOf, isError, sentence, sentences, type Finding } from '../contract/findings.ts';
import { jsonFingerprint } from '../model/ids.ts';
import type { TemplateRecord } from '../model/records.ts';
import type { Placed, Template } from '../model/template.ts';
import type { TemplateDetail } from '../contract/scheduler.ts';
import { nearest } from '../schema/spelling.ts';
import type { Store } from '../contract/storage.ts';
import { mergeLayers, type FileLayer, type LayerSet, type MergeOptions, type SourceInfo } from './layers.ts';
import { mergeAll, noTemplates, type AllTemplates } from './merge-all.ts';
import { selectPage, type Placement, type TemplateQuery } from './select-page.ts';
import type { TemplateReview } from './review.ts';
import { withLastGood } from './last-good.ts';

/** Between two tries to read a change. */
const retryMs = 5_000;

export interface LibraryOptions {
  /** Reads the template files. Rejects only when the directory itself cannot be read. */
  readonly load: () => Promise<LayerSet>;
  /** Contains the layers written over the API. */
  readonly store: Store;
  /** Waits before a failed read is repeated. Default: the clock of the system. */
  readonly clock?: Pick<Clock, 'sleep'>;
  readonly review: TemplateReview;
  readonly merge: MergeOptions;
  /** Called after the files were read again. */
  readonly refreshed?: (files: FileHashes) => void;
  /** The placement of a template that names none; filters use it. Default: the placement that the template names. */
  readonly place?: (template: Template) => Placement;
}

/** A hash of the templates of each file, by its name. */
export type FileHashes = Readonly<Record<string, string>>;

/** The state of the library, for operators. */
export interface CacheStats {
  readonly templates: number;
  readonly files: number;
  readonly made_over_api: number;
  /** How many times all files were read. */
  readonly loads: number;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * All templates, merged and kept in memory. `open` and `refresh` read the files; the layers of the API are read again
 * after each change in the store.
 */
export class TemplateLibrary implements Disposable {
  readonly #options: LibraryOptions;
  #files: LayerSet = { layers: [], findings: [], files: [] };
  #stored: ReadonlyMap<string, TemplateRecord> = new Map();
  #all: AllTemplates = noTemplates;
  #loads = 0;
  /**
   * Reads of the store are numbered in the order of their start, so that the result of an older read never replaces
   * the result of a newer one.
   */
  #startedReads = 0;
  #appliedRead = 0;
  #reading: Promise<void> | undefined;
  #again: Promise<void> | undefined;
  #watch: Disposable | undefined;
  #disposed = false;

  private constructor(options: LibraryOptions) {
    this.#options = options;
  }

  /** A library that has read all layers and watches the store. */
  static async open(options: LibraryOptions): Promise<TemplateLibrary> {
    const library = new TemplateLibrary(options);
    await library.refresh();
    library.#watch = options.store.watch((kinds) => {
      if (kinds.has('template')) void library.#readChanged();
    });
    return library;
  }

  /** Reads the layers of the API after a change, however often it takes. Until then the known templates stay. */
  async #readChanged(): Promise<void> {
    const { clock = systemClock } = this.#options;
    const began = this.#startedReads + 1;
    // A later read that succeeded has read this change, too.
    while (!this.#disposed && this.#appliedRead < began) {
      try {
        return await this.#readStored();
      } catch {
        await clock.sleep(retryMs);
      }
    }
  }

  /**
   * The template of this id, frozen. Throws TEMPLATE_NOT_FOUND with the most similar id, and TEMPLATE_INVALID when its
   * layers are invalid.
   */
  get(template_id: string): Template {
    return (this.#all.merged.get(template_id) ?? this.#missing(template_id)).template;
  }

  find(template_id: string): Template | undefined {
    return this.#all.merged.get(template_id)?.template;
  }

  /**
   * As `get`, but reads an unknown id from the store first, because another process may just have created the
   * template.
   */
  async seek(template_id: string): Promise<Template> {
    if (!this.#all.merged.has(template_id)) await this.look(template_id);
    return this.get(template_id);
  }

  /** Reads one id from the store, and all layers when its record changed. An id that does not exist costs one read. */
  async look(template_id: string): Promise<void> {
    const known = this.#stored.get(template_id);
    const record = await this.#options.store.get('template', { template_id });
    if (record?.version === known?.version && record?.updated_at === known?.updated_at) return;
    await this.#readStored();
  }

  /** The number of templates written over the API, and their size in characters of JSON. */
  get madeOverApi(): { readonly count: number; readonly bytes: number } {
    return { count: this.#stored.size, bytes: this.#all.stored_bytes };
  }

  /** The template with its versions for single instances. Throws as `get`. */
  placed(template_id: string): Placed {
    const { template, variants } = this.#all.merged.get(template_id) ?? this.#missing(template_id);
    return { template, ...(variants ? { variants: Object.fromEntries(variants) } : {}) };
  }

  /** All templates with their versions for single instances. */
  allPlaced(): readonly Placed[] {
    return [...this.#all.merged.keys()].map((template_id) => this.placed(template_id));
  }

  /** The origin of a template. Throws as `get`. */
  source(template_id: string): SourceInfo {
    return (this.#all.merged.get(template_id) ?? this.#missing(template_id)).source_info;
  }

  /**
   * The template that an instance serves; that of `get` when the instance has no version of its own. Throws as `get`.
   */
  forInstance(template_id: string, instance: string): Template {
    const merged = this.#all.merged.get(template_id) ?? this.#missing(template_id);
    return merged.variants?.get(instance) ?? merged.template;
  }

  /**
   * The only instances that may serve the template, when the files of several instances define it. Undefined: any
   * instance.
   */
  openTo(template_id: string): readonly string[] | undefined {
    const variants = this.#all.merged.get(template_id)?.variants;
    return variants && [...variants.keys()];
  }

  /**
   * The file layers of a template, least specific first. They become visible again when the layer of the API is
   * deleted.
   */
  filesOf(template_id: string): readonly FileLayer[] {
    return this.#files.layers.filter((layer) => layer.template_id === template_id);
  }

  /** What is used of each file, for a comparison with other brokers. */
  fileHashes(): FileHashes {
    const layers = Map.groupBy(this.#files.layers, ({ source_file }) => source_file);
    return Object.fromEntries([...layers].map(([file, its]) => [file, jsonFingerprint(its).slice(0, 16)]));
  }

  /** Whether a template of this id exists, valid or invalid. */
  knows(template_id: string): boolean {
    return this.#all.merged.has(template_id) || this.#all.invalid.has(template_id);
  }

  /** The template that this layer of the API would give over the files. */
  merge(template_id: string, api: Readonly<Record<string, unknown>>): Template {
    return mergeLayers(template_id, this.filesOf(template_id), api, this.#options.merge).template;
  }

  /** Reads the layers of the API again. */
  async follow(): Promise<void> {
    await this.#readStored();
  }

  /**
   * Templates sorted by id, then filtered, sorted by the query and cut to the page. Throws INVALID_REQUEST for a field
   * that is not sortable.
   */
  list(query: TemplateQuery = {}): { readonly items: readonly TemplateDetail[]; readonly total_count: number } {
    return selectPage([...this.#all.merged.values()], query, this.#options.review, this.#options.place);
  }

  /**
   * Reads the files and the store again. Concurrent calls share one further read that starts after them, so that each
   * caller sees everything that existed at its call.
   */
  refresh(): Promise<void> {
    if (!this.#reading) return (this.#reading = this.#read().finally(() => (this.#reading = undefined)));
    return (this.#again ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#again = undefined;
        return this.refresh();
      }));
  }

  /** The findings about files and merged templates. */
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
    this.#disposed = true;
    this.#watch?.[Symbol.dispose]();
  }

  async #read(): Promise<void> {
    this.#files = withLastGood(await this.#options.load(), this.#files);
    this.#loads += 1;
    this.#options.refreshed?.(this.fileHashes());
    // Read afterwards, so that layers that are stored while the files are read are included.
    await this.#readStored();
  }

  async #readStored(): Promise<void> {
    const read = ++this.#startedReads;
    const stored = await this.#options.store.find('template', {});
    if (read < this.#appliedRead) return;
    this.#appliedRead = read;
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
        ? 'No templates exist.'
        : 'List the templates to see the existing ids.';
    throw new BrokerError('TEMPLATE_NOT_FOUND', `No template has the id '${template_id}'. ${suggestion}`, {
      template_id,
      suggestion,
    });
  }
}
