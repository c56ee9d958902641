import type { FaultKind } from '../fault.ts';
import type { AccountContents } from './account-contents.ts';

/** What a person chose from the contents of an account. */
export interface SetupChoice {
  /** In the chosen network: at most one subnet of each zone, those with the most free addresses first. */
  readonly subnet_ids: readonly string[];
  /** The groups of the chosen network that machines get. Empty: the provider's default. */
  readonly security_group_ids: readonly string[];
  /** null: no key pair. */
  readonly key_name: string | null;
  readonly image: AccountContents['images'][number];
}

/** A template as a file has it. */
export interface StarterTemplate {
  readonly template_id: string;
  /** What the template is for, in a sentence. */
  readonly description: string;
  readonly [field: string]: unknown;
}

/**
 * How `muster init` sets up the first instance of a provider type: which fields of its configuration a person is asked
 * for, and the templates that follow from the contents of the account.
 *
 * @example
 * setup: {
 *   asks: ['region'],
 *   templates: ({ image, subnet_ids }) => [
 *     { template_id: 'one-machine', description: 'One machine.', image_id: image.image_id, subnet_ids, size: 'small' },
 *   ],
 * }
 */
export interface ProviderSetup {
  /** Fields of the configuration that a person is asked for, in this order. All are text. */
  readonly asks: readonly string[];
  /** Environment variables that hold the defaults of such fields, the first one that is set counts. */
  readonly environment?: Readonly<Record<string, readonly string[]>>;
  /** The field that holds the URL of another endpoint of the provider. Default: there is none. */
  readonly endpoint?: string;
  /** The configuration for a simulated provider, and which of the fields it asks for. Default: there is none. */
  readonly simulated?: { readonly config: Readonly<Record<string, unknown>>; readonly asks: readonly string[] };
  /** What a person can do when the account cannot be read, by the kind of the fault. */
  readonly remedies?: Readonly<Partial<Record<FaultKind, string>>>;
  /** Templates for the choice, the simplest first. They pass the checks of their provider APIs. Pure. */
  templates(choice: SetupChoice): readonly StarterTemplate[];
}
