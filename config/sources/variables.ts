import { Type, type TObject } from 'typebox';
import type { Finding } from '../../core/contract/findings.ts';
import type { ProviderType } from '../../core/contract/provider/provider-type.ts';
import { hint } from '../../core/schema/spelling.ts';
import type { StorageDriver } from '../../core/contract/storage.ts';
import { prefix, prefixOf, readVariables, type Environment, type Variables } from './environment.ts';
import { ConfigurationFile, ServerSection, StorageSection, TemplatesSection } from '../schema.ts';

/** Variables that set no field of the configuration. */
const reserved = ['MUSTER_CONFIG', 'MUSTER_DATA_DIR', 'MUSTER_STORAGE_TO_URL'];

/** The settings in the environment. Reads each variable once and reports each unknown variable once. */
export class EnvironmentVariables {
  readonly #environment: Environment;
  readonly #known = new Set<string>(reserved);
  readonly #unknown = new Map<string, Finding>();
  readonly #invalid: Finding[] = [];

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /**
   * The settings that do not depend on plugins: `plugins` and `scheduler`, each section as JSON text, and the fields
   * of the sections with a fixed schema.
   */
  sections(): readonly Variables[] {
    const whole = Object.keys(ConfigurationFile.properties).map((name) => `${prefix}${name.toUpperCase()}`);
    const only = Object.fromEntries(whole.map((variable) => [variable, this.#environment[variable]]));
    return [
      this.#read('', ConfigurationFile, prefix, only),
      this.#read('/templates', TemplatesSection, prefixOf('templates'), this.#environment),
      this.#read('/server', ServerSection, prefixOf('server'), this.#environment),
    ];
  }

  /** The type of the storage. It decides which other variables of the storage exist. */
  get storageType(): string | undefined {
    return this.#environment[`${prefixOf('storage')}TYPE`] || undefined;
  }

  storage(driver: StorageDriver<any> | undefined): Variables {
    const options = (driver?.options as TObject | undefined)?.properties ?? {};
    return this.#read(
      '/storage',
      Type.Object({ ...options, ...StorageSection.properties }),
      prefixOf('storage'),
      this.#environment,
    );
  }

  /** The overrides of a provider type; pointers are relative to `config`. */
  provider(type: ProviderType<any, any>): Variables {
    return this.#read(undefined, type.config as TObject, prefixOf(type.type), this.#environment);
  }

  /** Returns findings for invalid variables and for variables that nothing reads. Call it after all other methods. */
  findings(types: readonly ProviderType<any, any>[]): readonly Finding[] {
    const sections = [...Object.keys(ConfigurationFile.properties), ...types.map((type) => type.type)];
    const known = [...sections.map((name) => prefixOf(name).slice(0, -1)), ...reserved].map((name) =>
      name.toLowerCase(),
    );
    const unknown = Object.keys(this.#environment)
      .filter((name) => name.startsWith(prefix) && this.#environment[name] && !this.#known.has(name))
      .map(
        (name): Finding =>
          this.#unknown.get(name) ?? {
            level: 'warning',
            path: '',
            file: `environment variable ${name}`,
            message: `no setting has this name${hint(name, known).replaceAll(/muster_\w+/g, (each) => each.toUpperCase())}`,
          },
      );
    return [...this.#invalid, ...unknown];
  }

  #read(at: string | undefined, schema: TObject, under: string, environment: Environment): Variables {
    const read = readVariables(schema, under, environment);
    for (const name of read.recognized) this.#known.add(name);
    for (const { variable, ...finding } of read.invalid) {
      this.#known.add(variable);
      this.#invalid.push({ ...finding, path: `${at ?? ''}${finding.path}` });
    }
    for (const finding of read.unknown)
      this.#unknown.set(finding.file?.replace('environment variable ', '') ?? '', finding);
    if (at === undefined || at === '') return read;
    const section = at.slice(1);
    const names = new Map([...read.names].map(([pointer, variable]) => [`${at}${pointer}`, variable]));
    return { ...read, names, tree: Object.keys(read.tree).length > 0 ? { [section]: read.tree } : {} };
  }
}
