import { codes, isBrokerError, type Code } from '../../core/contract/errors.ts';

/** What every call of the SDK may reject with. `code` is of the one table of refusals. */
export class SDKError extends Error {
  readonly code: Code;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: Code, message: string, details: Readonly<Record<string, unknown>> = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.details = details;
  }
}

/** The configuration cannot be used. */
export class ConfigurationError extends SDKError {}

/** No provider instance serves what is asked for. */
export class ProviderError extends SDKError {}

/** There is no such method. */
export class HandlerDiscoveryError extends SDKError {}

/** The method was refused, or failed. */
export class MethodExecutionError extends SDKError {}

class EntityError extends SDKError {
  readonly entity_type: string;
  readonly entity_id: string;

  constructor(code: Code, message: string, details: Readonly<Record<string, unknown>>, options?: ErrorOptions) {
    super(code, message, details, options);
    const [type, id] = entityOf(code, details);
    this.entity_type = type;
    this.entity_id = id;
  }
}

/** What is named does not exist. */
export class NotFoundError extends EntityError {}

/** What is to be made exists. */
export class AlreadyExistsError extends EntityError {}

const kinds: Readonly<Partial<Record<Code, typeof SDKError>>> = {
  TEMPLATE_NOT_FOUND: NotFoundError,
  REQUEST_NOT_FOUND: NotFoundError,
  MACHINE_NOT_FOUND: NotFoundError,
  PROVIDER_NOT_FOUND: NotFoundError,
  NOT_FOUND: HandlerDiscoveryError,
  ALREADY_EXISTS: AlreadyExistsError,
  INVALID_CONFIGURATION: ConfigurationError,
  FILE_NOT_FOUND: ConfigurationError,
  PARSE_ERROR: ConfigurationError,
  PROVIDER_DISABLED: ProviderError,
  NO_ENABLED_PROVIDERS: ProviderError,
  PROVIDER_TYPE_MISMATCH: ProviderError,
  API_NOT_SUPPORTED: ProviderError,
  INSTANCE_LIMIT_EXCEEDED: ProviderError,
  INSTANCE_BUSY: ProviderError,
};

/** The SDK's error for a refusal, made here or read off an answer. */
export function sdkError(
  code: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): SDKError {
  const known = (Object.hasOwn(codes, code) ? code : 'INTERNAL') as Code;
  return new (kinds[known] ?? MethodExecutionError)(
    known,
    message,
    details,
    cause === undefined ? undefined : { cause },
  );
}

/** As the SDK rejects: refusals by their code, everything else as a failure of the method. */
export function asSdkError(error: unknown): SDKError {
  if (error instanceof SDKError) return error;
  if (isBrokerError(error)) return sdkError(error.code, error.message, error.details, error);
  return new MethodExecutionError(
    'INTERNAL',
    error instanceof Error ? error.message : String(error),
    {},
    { cause: error },
  );
}

const named: readonly (readonly [string, string])[] = [
  ['template', 'template_id'],
  ['request', 'request_id'],
  ['machine', 'machine_ids'],
  ['provider', 'requested_provider'],
];

function entityOf(code: Code, details: Readonly<Record<string, unknown>>): readonly [string, string] {
  const type = code.endsWith('_NOT_FOUND') ? code.replace('_NOT_FOUND', '').toLowerCase() : undefined;
  const found = named.find(
    ([entity, field]) => (type === undefined || entity === type) && details[field] !== undefined,
  );
  const id = found && details[found[1]];
  return [found?.[0] ?? type ?? 'entity', Array.isArray(id) ? id.join(', ') : String(id ?? '')];
}
