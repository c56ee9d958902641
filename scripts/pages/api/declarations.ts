import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a name stands for inside a file, where it comes from elsewhere. */
export interface Source {
  /** The declaration file, or the package as it is imported. */
  readonly from: string;
  /** Its name there; `*` for all of it. */
  readonly name: string;
  /** `export type`: not there when the program runs. */
  readonly typeOnly?: true;
}

/** A declaration file, taken apart. */
export interface Declarations {
  /**
   * The declarations of each name (a constant and a type may share one), as written but without what comments say of
   * members.
   */
  readonly declared: ReadonlyMap<string, readonly string[]>;
  /** The first sentence of what the comment of a name says. */
  readonly about: ReadonlyMap<string, string>;
  readonly imported: ReadonlyMap<string, Source>;
  /** Exported name → where it is. A name of this file has this file as source. */
  readonly exported: ReadonlyMap<string, Source>;
  /** Files of which everything is exported. */
  readonly all: readonly string[];
}

const cache = new Map<string, Declarations>();

/** Takes a file apart as tsc emits it: every statement begins a line, and ends in `;` or in the `}` that closes it. */
export function declarationsOf(file: string): Declarations {
  const known = cache.get(file);
  if (known) return known;
  const declared = new Map<string, string[]>();
  const about = new Map<string, string>();
  const imported = new Map<string, Source>();
  const exported = new Map<string, Source>();
  const all: string[] = [];
  const place = (specifier: string): string =>
    specifier.startsWith('.') ? declarationFile(join(dirname(file), specifier)) : specifier;

  const source = readFileSync(file, 'utf8').replace(
    /import\(["']([^"']+)["']\)\.(\w+)/g,
    (_, specifier: string, name: string) => {
      imported.set(name, { from: place(specifier), name });
      return name;
    },
  );
  for (const { text, comment } of statementsOf(source)) {
    const list = /^(import|export)\s+(type\s+)?(?:\{([^}]*)\}|\*)(?:\s+from\s+['"]([^'"]+)['"])?;$/s.exec(text);
    if (list) {
      const [, verb, type, names, specifier] = list;
      const from = specifier === undefined ? file : place(specifier);
      if (names === undefined) all.push(from);
      for (const [name, local, typed] of namesOf(names ?? '')) {
        const only = type !== undefined || typed ? ({ typeOnly: true } as const) : {};
        if (verb === 'import') imported.set(local, { from, name });
        else exported.set(local, { ...((specifier === undefined && imported.get(name)) || { from, name }), ...only });
      }
      continue;
    }
    const whole = /^import\s+(?:type\s+)?(?:\*\s+as\s+)?(\w+)\s+from\s+['"]([^'"]+)['"];$/.exec(text);
    if (whole) {
      imported.set(whole[1] as string, { from: place(whole[2] as string), name: '*' });
      continue;
    }
    const name = /^(?:export )?(?:declare )?(?:abstract )?(?:const|let|type|interface|class|function)\s+([\w$]+)/.exec(
      text,
    )?.[1];
    if (name === undefined) continue;
    declared.set(name, [...(declared.get(name) ?? []), text.replace(/^(export )?(declare )?/, '')]);
    if (comment !== undefined && !about.has(name)) about.set(name, comment);
    if (text.startsWith('export ')) exported.set(name, { from: file, name });
  }
  const made = { declared, about, imported, exported, all };
  cache.set(file, made);
  return made;
}

/** `./x.ts`, as sources name each other, is `./x.d.ts` among the emitted. */
function declarationFile(path: string): string {
  const file = path.replace(/\.(ts|js)$/, '.d.ts');
  if (!existsSync(file)) throw new Error(`${file} is not there; was everything emitted?`);
  return file;
}

/** `a, type B as C` → `[a, a, false]`, `[B, C, true]`: the name there, and here, and whether it is a type only. */
const namesOf = (list: string): (readonly [string, string, boolean])[] =>
  list
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => {
      const [name = '', local = name] = each.replace(/^type /, '').split(/\s+as\s+/);
      return [name, local, each.startsWith('type ')];
    });

interface Statement {
  readonly text: string;
  readonly comment?: string;
}

const comments = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
const tokens = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*|[{}()[\];]/g;

function* statementsOf(source: string): Generator<Statement> {
  let depth = 0;
  let start = 0;
  let comment: string | undefined;
  for (const { 0: token, index } of source.matchAll(tokens)) {
    if (depth === 0 && token.startsWith('/*') && source.slice(start, index).trim() === '') {
      comment = sentenceOf(token);
      start = index + token.length;
    }
    if ('{(['.includes(token)) depth += 1;
    if ('})]'.includes(token)) depth -= 1;
    const closes = token === ';' || (token === '}' && !/^\s*(?:;|from\b|\[)/.test(source.slice(index + 1)));
    if (depth > 0 || !closes) continue;
    const text = bare(source.slice(start, index + 1));
    // A type, a constant and a list go on after a brace, up to their semicolon.
    if (token === '}' && !/^(export )?(declare )?(abstract )?(interface|class|module|namespace|global)\b/.test(text))
      continue;
    yield { text, ...(comment === undefined ? {} : { comment }) };
    start = index + 1;
    comment = undefined;
  }
}

/** Without comments and the lines that they leave empty, two spaces a step. */
const bare = (text: string): string =>
  text
    .replace(tokens, (token) => (comments.test(token) && token.startsWith('/') ? '' : token))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.trimEnd().replace(/^(?: {4})+/, (step) => ' '.repeat(step.length / 2)))
    .join('\n')
    .trim();

function sentenceOf(comment: string): string {
  const text = comment
    .replace(/^\/\*+|\*+\/$/g, '')
    .replace(/^\s*\* ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  return /^.*?[.:](?= [A-Z-]|$)/.exec(text)?.[0] ?? text;
}
