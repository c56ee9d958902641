/** What is said of credentials, with whose they are: of many instances one has to be found. */
export interface CredentialTrouble {
  /** The instance; absent where nobody said. */
  readonly instance?: string | undefined;
  /** What went wrong, as a sentence. */
  readonly said: string;
}

const whose = (instance: string | undefined): string => (instance === undefined ? '' : ` of '${instance}'`);

/** AWS knows them, and does not let them do it. */
export const refusedCredentials = ({ instance, said }: CredentialTrouble, code: string): string =>
  `AWS refused the credentials${whose(instance)} (${code}): ${said}`;

/** Nothing was found to call with. */
export const noCredentials = ({ instance, said }: CredentialTrouble): string =>
  `There are no credentials${whose(instance)}: ${said}`;

/** What was configured is of no use. */
export const uselessCredentials = ({ instance, said }: CredentialTrouble): string =>
  `The credentials${whose(instance)} cannot be used: ${said}`;
