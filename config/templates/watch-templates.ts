import { watch } from 'node:fs';

const pause = 200;

/**
 * Calls back when a template file of the directory changed, or another that a template may name with its specification, once for a burst of
 * writes. Files of folders below are not watched, and where the directory cannot be watched nothing is called: `refresh` remains.
 */
export function watchTemplates(directory: string, on: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const changed = (_: string, name: string | null) => {
    if (name !== null && !/\.(json|ya?ml)$/.test(name)) return;
    clearTimeout(timer);
    // Editors write a file in several steps; half a file would be told as broken.
    timer = setTimeout(on, pause).unref();
  };
  try {
    const watcher = watch(directory, { persistent: false }, changed).on('error', () => watcher.close());
    return {
      [Symbol.dispose]() {
        clearTimeout(timer);
        watcher.close();
      },
    };
  } catch {
    return { [Symbol.dispose]() {} };
  }
}
