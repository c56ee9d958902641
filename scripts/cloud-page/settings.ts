import { LaunchTemplates } from '../../plugins/cloud/launch-templates/settings.ts';
import { tableOf } from './apis.ts';

interface Field {
  readonly default?: unknown;
  readonly description?: string;
}

/** The settings of launch templates with what they say of themselves. */
export function settingsTable(): string {
  const rows = Object.entries(LaunchTemplates.properties as Readonly<Record<string, Field>>).map(([name, field]) => [
    `\`${name}\``,
    `\`${String(field.default)}\``,
    field.description ?? '',
  ]);
  return tableOf(['`launch_template.`', 'Default', 'Meaning'], rows);
}
