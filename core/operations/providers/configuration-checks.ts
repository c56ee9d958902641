import type { Finding } from '../../contract/findings.ts';

/** What the provider entries of a configuration come to; nothing is connected. */
export interface CheckedEntry {
  /** As given; undefined where there is none. */
  readonly name: string | undefined;
  /** Paths begin at the entry. */
  readonly findings: readonly Finding[];
}

/** What environment variables make of a provider type's configuration, by their names. */
export interface ResolvedEnvironment {
  /** Defaults with the valid overrides over them; whoever shows it masks the secrets. */
  readonly resolved: Readonly<Record<string, unknown>>;
  /** Variables that set a field. */
  readonly recognized: readonly string[];
  /** Those that set nothing: without the prefix, without such a field, or empty. */
  readonly ignored: readonly string[];
  /** Those with a value that their field does not take. */
  readonly invalid: readonly string[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** Checks of configuration that a caller sends: made by the host, which knows how files and environments are read. */
export interface ConfigurationChecks {
  /** One answer for each entry, in order. Only the owner is told which files there are beside those of the configuration. */
  providers(entries: readonly unknown[], owner: boolean): readonly CheckedEntry[];
  /** Secrets are masked. Undefined: no loaded plugin brings this type. */
  environment(provider_type: string, variables: Readonly<Record<string, string>>): ResolvedEnvironment | undefined;
  /** The whole configuration as the broker runs by it, secrets masked, with where each value comes from (by JSON pointer). */
  resolved(): { readonly configuration: Readonly<Record<string, unknown>>; readonly origins: Readonly<Record<string, string>> };
  /** Names of the provider types that plugins bring. */
  readonly types: readonly string[];
}
