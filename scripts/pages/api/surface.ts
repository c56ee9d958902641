import { declarationsOf, type Source } from './declarations.ts';

/** One name of the surface. */
export interface Exported {
  readonly name: string;
  readonly source: Source;
  /** Empty for what comes from another package. */
  readonly declared: readonly string[];
  readonly about?: string;
}

/** Every name that an entry point exports, sorted. */
export function surfaceOf(entry: string): readonly Exported[] {
  return sorted([...exportsOf(entry)].map(([name, source]) => describe(name, source)));
}

/** Types of handlers: the type of an operation refers to them, and no user of the package ever gets one. */
const inside = new Set(['Services']);

/** The types to which these names refer and that are not exported, and those to which they refer in turn, sorted. */
export function mentionedBy(exported: readonly Exported[]): readonly Exported[] {
  const told = new Set(exported.map(({ source }) => keyOf(source)));
  const found: Exported[] = [];
  const open = [...exported];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    for (const source of mentions(each)) {
      if (told.has(keyOf(source)) || inside.has(source.name)) continue;
      told.add(keyOf(source));
      const next = describe(source.name, source);
      found.push(next);
      open.push(next);
    }
  }
  return sorted(found);
}

const keyOf = ({ from, name }: Source): string => `${from}#${name}`;
const isFile = (from: string): boolean => from.endsWith('.d.ts');
const sorted = (names: readonly Exported[]): readonly Exported[] =>
  names.toSorted((a, b) => compare(a.name, b.name) || compare(a.source.from, b.source.from));
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function describe(name: string, source: Source): Exported {
  if (!isFile(source.from)) return { name, source, declared: [] };
  const { declared, about } = declarationsOf(source.from);
  const texts = declared.get(source.name);
  if (!texts) throw new Error(`${source.from} does not declare ${source.name}.`);
  const said = about.get(source.name);
  return { name, source, declared: texts, ...(said === undefined ? {} : { about: said }) };
}

/** Follows `export … from` to where things are declared. */
function exportsOf(file: string): Map<string, Source> {
  const { exported, all } = declarationsOf(file);
  const found = new Map<string, Source>();
  for (const from of all) for (const [name, source] of exportsOf(from)) found.set(name, source);
  for (const [name, source] of exported) found.set(name, source.from === file ? source : origin(source));
  return found;
}

function origin(source: Source): Source {
  if (!isFile(source.from)) return source;
  const found = exportsOf(source.from).get(source.name);
  if (!found) throw new Error(`${source.from} does not export ${source.name}.`);
  return source.typeOnly ? { ...found, typeOnly: true } : found;
}

const strings = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g;

/**
 * The names of its own file and of its imports to which a declaration refers; names of other packages are left out.
 */
function mentions({ source, declared }: Exported): readonly Source[] {
  if (!isFile(source.from)) return [];
  const file = declarationsOf(source.from);
  const words = declared.flatMap((text) => [
    // Neither a member after a dot nor the name of a property or a method.
    ...text.replace(strings, "''").matchAll(/(?<![.\w$])([A-Za-z_$][\w$]*)(?![\w$]|\??[:(])/g),
  ]);
  return [...new Set(words.map(([, word = '']) => word))].flatMap((word) => {
    if (word === source.name) return [];
    if (file.declared.has(word)) return [{ from: source.from, name: word }];
    const from = file.imported.get(word);
    return from && isFile(from.from) && from.name !== '*' ? [origin(from)] : [];
  });
}
