import type { LayerSet } from './layers.ts';

/**
 * Adds to `read` the layers that broken files had when they were last readable. A typing error in a file therefore
 * removes no template that is in use. A warning among the findings names the files. Pure.
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
      {
        level: 'warning',
        path: '',
        file: names.join(', '),
        message: 'its templates keep the content of the last successful read',
      },
    ],
  };
}
