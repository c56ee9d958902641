/**
 * The plugin that contributed a thing. Keyed by the object, because a plugin chooses the name of its contribution
 * freely.
 */
const owners = new WeakMap<object, string>();

/** Records the plugin that contributed a thing. */
export function recordContributor(thing: object, plugin: string): void {
  owners.set(thing, plugin);
}

/** The name of the plugin that contributed a thing; undefined when it is not recorded. */
export const pluginOf = (thing: object | undefined): string | undefined =>
  thing === undefined ? undefined : owners.get(thing);

/** By plugin, and by what it contributed. */
const versions = new WeakMap<object, string>();

/** Records the version of a plugin or of its contribution. */
export function recordVersion(thing: object, version: string | undefined): void {
  if (version !== undefined) versions.set(thing, version);
}

/** The version of the plugin, or of the plugin that contributed a thing; undefined when it is not recorded. */
export const versionOf = (thing: object): string | undefined => versions.get(thing);
