/** What the scripts are called; everything that this face does hangs on these names. */
export const scriptNames = [
  'getAvailableTemplates',
  'requestMachines',
  'requestReturnMachines',
  'getRequestStatus',
  'getReturnRequests',
  'getAvailableMachines',
] as const;
export type ScriptName = (typeof scriptNames)[number];

export const dialects = ['symphony', 'lsf'] as const;
export type Dialect = (typeof dialects)[number];

export const isScriptName = (name: string | undefined): name is ScriptName =>
  scriptNames.some((each) => each === name);

/**
 * What a script sends to the server, as the body of POST /api/v1/hostfactory/{script}. The answer's body is what the
 * script prints.
 */
export interface ScriptBody {
  /** The content of the input file. */
  readonly input: unknown;
  readonly env: { readonly dialect: Dialect; readonly provider_name?: string };
}

/** The header of the answer with what the script ends with: 0 or 1. */
export const exitCodeHeader = 'x-exit-code';
