/** What a bundler knows about its modules. */
interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/**
 * Names the bundled file of a module after the starts that load it: all modules that the same starts load become one
 * file. Null: no start loads the module, so the bundler chooses. A start is the list of the modules that it imports
 * first, with those that it always imports dynamically. Paths are absolute.
 */
export function joinedByStart(
  starts: Readonly<Record<string, readonly string[]>>,
): (id: string, graph: ModuleGraph) => string | null {
  const loaded = new Map<string, ReadonlySet<string>>();
  return (id, graph) => {
    if (loaded.size === 0)
      for (const [name, first] of Object.entries(starts)) loaded.set(name, reachedFrom(first, graph));
    const names = [...loaded].flatMap(([name, ids]) => (ids.has(id) ? [name] : []));
    return names.length === 0 ? null : names.join('-');
  };
}

/** The modules that are loaded with `first`: those of all their static imports. */
function reachedFrom(first: readonly string[], graph: ModuleGraph): ReadonlySet<string> {
  const reached = new Set(first);
  // A set that grows while it is walked is walked to its end.
  for (const id of reached) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) reached.add(imported);
  return reached;
}
