/** Which plugin contributed something. By the thing itself: what it calls itself is its own affair. */
const owners = new WeakMap<object, string>();

/** Remembers whose it is. */
export function owned(thing: object, plugin: string): void {
  owners.set(thing, plugin);
}

/** The name of the plugin that contributed a thing; undefined where nobody said. */
export const pluginOf = (thing: object | undefined): string | undefined => (thing === undefined ? undefined : owners.get(thing));
