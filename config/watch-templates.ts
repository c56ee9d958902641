import { watch } from 'node:fs';

const pause = 200;

/**
 * Calls back when a template file of the directory changed, once for a burst of writes. Where the directory cannot be watched nothing is
 * called: `refresh` remains.
 */
export function watchTemplates(directory: string, on: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const changed = (_: string, name: string | null) => {
    if (name !== null && !/templates\.(json|ya?ml)$/.test(name)) return;
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
