/** The names of the scripts. HostFactory defines them. */
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
 * The body of POST /api/v1/hostfactory/{script}, which a script sends. The body of the answer is the output of the
 * script.
 */
export interface ScriptBody {
  /** The content of the input file. */
  readonly input: unknown;
  readonly env: { readonly dialect: Dialect; readonly provider_name?: string };
}

/** The header of the answer with the exit code of the script: 0 or 1. */
export const exitCodeHeader = 'x-exit-code';
