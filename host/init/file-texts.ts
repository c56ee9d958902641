import type { StarterTemplate } from '../../core/contract/provider/provider-setup.ts';

/** The instance that is set up. */
export interface NewInstance {
  readonly name: string;
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
}

export const configurationName = 'muster.config.yaml';
export const templatesName = 'templates.yaml';

/** Each template shows its own fields whole, for a person who changes one of them. */
const plain = { lineWidth: 0, aliasDuplicateObjects: false };

/** The text of the configuration file. `plugins`: not the ones by default. */
export async function configurationText(instance: NewInstance, plugins?: readonly string[]): Promise<string> {
  const { stringify } = await import('yaml');
  return `# Written by muster init. All fields: docs/reference/configuration.md. Check changes with: muster config validate
${stringify({ ...(plugins ? { plugins } : {}), providers: [instance] }, plain)}`;
}

/** The text of the template file. */
export async function templatesText(templates: readonly StarterTemplate[]): Promise<string> {
  const { stringify } = await import('yaml');
  return `# Written by muster init. All fields: docs/guides/templates.md. Check changes with: muster config validate
${stringify({ templates }, plain)}`;
}
