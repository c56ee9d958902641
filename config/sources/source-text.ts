import { createRequire } from 'node:module';
import type { Document, LineCounter, Node, Scalar } from 'yaml';
import { BrokerError } from '../../core/contract/errors.ts';
import { camelCase } from '../../core/schema/spelling.ts';
import { jsonErrorOffset } from './json-error.ts';

/** Loads the YAML package on first use: only YAML files and the places of findings need it. */
const yaml = (): typeof import('yaml') => createRequire(import.meta.url)('yaml');

/** A parsed file: its value, and the place of each part of the value. */
export interface SourceText {
  readonly value: unknown;
  /** Returns `file:line:column` of a JSON pointer, or of its nearest existing ancestor. */
  place(pointer: string): string;
}

/**
 * Parses strict JSON (file name ends in `.json`) or YAML. Throws PARSE_ERROR with `details` file, line, column and
 * reason. An empty file has the value `undefined`.
 */
export function readText(file: string, text: string): SourceText {
  const content = text.replace(/^\uFEFF/, '');
  const value = file.endsWith('.json') ? fromJson(file, content) : fromYaml(file, content);
  let tree: { readonly document: Document; readonly lines: LineCounter } | undefined;
  return {
    value,
    place(pointer) {
      tree ??= documentOf(content);
      const { line, col } = tree.lines.linePos(offsetOf(tree.document, pointer));
      return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
    },
  };
}

function fromJson(file: string, text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const offset = jsonErrorOffset(text);
    const before = text.slice(0, offset).split('\n');
    const reason =
      offset >= text.length
        ? 'unexpected end of the file'
        : message.replace(/(, \.{3}|, ").*$| in JSON at position .*$/s, '');
    throw parseError(file, before.length, (before.at(-1) ?? '').length + 1, reason, error);
  }
}

function fromYaml(file: string, text: string): unknown {
  const { document, lines } = documentOf(text);
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw parseError(file, line, col, error.message.split(' at line ')[0] ?? error.message, error);
  }
  try {
    return document.contents === null ? undefined : document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw parseError(file, 1, 1, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function documentOf(text: string): { readonly document: Document; readonly lines: LineCounter } {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  return { document: parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' }), lines };
}

function parseError(file: string, line: number, column: number, reason: string, cause: unknown): BrokerError {
  return new BrokerError(
    'PARSE_ERROR',
    `${file}:${line}:${column}: ${reason}`,
    { file, line, column, reason },
    { cause },
  );
}

function offsetOf(document: Document, pointer: string): number {
  const { isMap, isSeq } = yaml();
  let at: unknown = document.contents;
  let offset = startOf(at) ?? 0;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isSeq(at)) {
      at = at.items[Number(name)];
      offset = startOf(at) ?? offset;
    } else if (isMap(at)) {
      // A finding uses the canonical spelling of a field; the file may use another spelling.
      const pair =
        at.items.find(({ key }) => keyOf(key) === name) ??
        at.items.find(({ key }) => camelCase(keyOf(key)) === camelCase(name));
      if (!pair) return offset;
      offset = startOf(pair.key) ?? offset;
      at = pair.value;
    } else return offset;
  }
  return offset;
}

const keyOf = (key: unknown): string => String(yaml().isScalar(key) ? (key as Scalar).value : key);
const startOf = (node: unknown): number | undefined => (yaml().isNode(node) ? (node as Node).range?.[0] : undefined);
