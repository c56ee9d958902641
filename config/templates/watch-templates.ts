import { watch } from 'node:fs';

/** Milliseconds without a further change before the callback. */
const pause = 200;

/**
 * The link to the directory of all files of a ConfigMap or Secret that Kubernetes mounts. An update exchanges it, and
 * no file changes.
 */
const mountedFiles = '..data';

const isTemplates = (name: string): boolean => name === mountedFiles || /\.(json|ya?ml)$/.test(name);

/**
 * Calls `on` when a JSON or YAML file of the directory changes, once for a burst of writes; also when Kubernetes
 * updates the ConfigMap that is mounted there. Does not watch subdirectories. When the directory cannot be watched,
 * `on` is never called and templates reload only through the refresh operation. Dispose the result to stop.
 */
export function watchTemplates(directory: string, on: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const changed = (_: string, name: string | null) => {
    if (name !== null && !isTemplates(name)) return;
    clearTimeout(timer);
    // Editors write a file in several steps; a partly written file would be reported as broken.
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
