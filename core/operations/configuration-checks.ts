import type { Finding } from '../findings.ts';

/** What the provider entries of a configuration come to; nothing is connected. */
export interface CheckedEntry {
  /** As given; undefined where there is none. */
  readonly name: string | undefined;
  /** Paths begin at the entry. */
  readonly findings: readonly Finding[];
}

/** What environment variables make of a provider type's configuration. Names, never values. */
export interface ResolvedEnvironment {
  /** Secrets are masked. */
  readonly resolved: Readonly<Record<string, unknown>>;
  readonly recognized: readonly string[];
  readonly ignored: readonly string[];
  readonly invalid: readonly string[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** Checks of configuration that a caller sends: made by the host, which knows how files and environments are read. */
export interface ConfigurationChecks {
  /** One answer for each entry, in order. */
  providers(entries: readonly unknown[]): readonly CheckedEntry[];
  /** Undefined: no loaded plugin brings this type. */
  environment(provider_type: string, variables: Readonly<Record<string, string>>): ResolvedEnvironment | undefined;
  /** The whole configuration as the broker runs by it, secrets masked, with where each value comes from (by JSON pointer). */
  resolved(): { readonly configuration: Readonly<Record<string, unknown>>; readonly origins: Readonly<Record<string, string>> };
  /** Names of the provider types that plugins bring. */
  readonly types: readonly string[];
}
