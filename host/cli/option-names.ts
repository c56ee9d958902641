/** `machine_count` and `machineCount` → `machine-count`. */
export const kebabCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();

/** `machine_count` → `--machine-count`. The input `confirm` is `--force`, as usual on command lines. */
export const optionOf = (field: string): string => (field === 'confirm' ? '--force' : `--${kebabCase(field)}`);
