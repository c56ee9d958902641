import type { LayerSet } from './layers.ts';

/**
 * What was read, with what broken files said when they could last be read: a slip of the pen takes no template away from those who use it.
 * The findings say so. Pure.
 */
export function withLastGood(read: LayerSet, before: LayerSet): LayerSet {
  const { broken = [], findings } = read;
  const kept = before.layers.filter(({ source_file }) => broken === 'all' || broken.includes(source_file));
  if (kept.length === 0) return read;
  const files = broken === 'all' ? before.files : read.files;
  const place = (name: string) => files.indexOf(name);
  const names = [...new Set(kept.map(({ source_file }) => source_file))];
  return {
    ...read,
    files,
    layers: [...read.layers, ...kept].toSorted((a, b) => place(a.source_file) - place(b.source_file)),
    findings: [
      ...findings,
      { level: 'warning', path: '', file: names.join(', '), message: 'its templates stay as they were when it could last be read' },
    ],
  };
}
