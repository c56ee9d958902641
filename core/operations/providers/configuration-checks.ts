import type { Finding } from '../../contract/findings.ts';

/** The result of the check of one provider entry. Nothing is connected. */
export interface CheckedEntry {
  /** The name in the entry; undefined when there is none. */
  readonly name: string | undefined;
  /** Paths are relative to the entry. */
  readonly findings: readonly Finding[];
}

/** The configuration of a provider type that follows from environment variables. */
export interface ResolvedEnvironment {
  /** Defaults with the valid overrides. The caller must mask the secrets before showing them. */
  readonly resolved: Readonly<Record<string, unknown>>;
  /** Variables that set a field. */
  readonly recognized: readonly string[];
  /** Variables that set no field: without the prefix, without a matching field, or empty. */
  readonly ignored: readonly string[];
  /** Variables with a value that is invalid for their field. */
  readonly invalid: readonly string[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** Checks of configuration that a caller sends. The host implements them, because it reads files and environments. */
export interface ConfigurationChecks {
  /** One result for each entry, in order. Only the operator learns about files outside the configuration. */
  providers(entries: readonly unknown[], owner: boolean): readonly CheckedEntry[];
  /** Secrets are masked. Undefined: no loaded plugin contributes this type. */
  environment(provider_type: string, variables: Readonly<Record<string, string>>): ResolvedEnvironment | undefined;
  /**
   * The whole configuration that the broker uses, with secrets masked, and the origin of each value by JSON pointer.
   */
  resolved(): {
    readonly configuration: Readonly<Record<string, unknown>>;
    readonly origins: Readonly<Record<string, string>>;
  };
  /** The names of the provider types of all plugins. */
  readonly types: readonly string[];
}
