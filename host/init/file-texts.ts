import type { StarterTemplate } from '../../core/contract/provider/provider-setup.ts';
import { pageFrom } from '../process/this-package.ts';

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

/** The text of the configuration file in a directory. `plugins`: not the ones by default. */
export async function configurationText(
  directory: string,
  instance: NewInstance,
  plugins?: readonly string[],
): Promise<string> {
  const { stringify } = await import('yaml');
  return `# Written by muster init. All fields: ${pageFrom(directory, 'docs/reference/configuration.md')}. Check changes with: muster config validate
${stringify({ ...(plugins ? { plugins } : {}), providers: [instance] }, plain)}`;
}

/** The text of the template file in a directory. */
export async function templatesText(directory: string, templates: readonly StarterTemplate[]): Promise<string> {
  const { stringify } = await import('yaml');
  return `# Written by muster init. All fields: ${pageFrom(directory, 'docs/guides/templates.md')}. Check changes with: muster config validate
${stringify({ templates }, plain)}`;
}
