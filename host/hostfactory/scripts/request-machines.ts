import { BrokerError, isBrokerError } from '../../../core/contract/errors.ts';
import { requestMachines as open } from '../../../core/operations/requests/request-machines.ts';
import type { Template } from '../../../core/model/template.ts';
import type { RequestDetail } from '../../../core/contract/scheduler.ts';
import { cloudCodeIn } from '../grade.ts';
import { isObject } from '../../../core/schema/is-object.ts';
import { invalidInput, scriptRefusal, type Script, type ScriptCall } from '../client/script.ts';

/** Creates a request for machines. Answers when the request is stored; errors of the cloud appear in its status. */
export const requestMachines: Script = async (call) => {
  const { template_id, machine_count } = orderIn(call.input);
  const { services, instance, key } = call;
  try {
    const detail = await open(
      {
        template_id,
        machine_count,
        ...additions(call),
        ...(instance === undefined ? {} : { provider_preference: { type: 'explicit', provider_instance: instance } }),
      },
      services,
      key,
    );
    return answer(call, detail);
  } catch (error) {
    if (!isBrokerError(error)) throw error;
    if (error.code === 'TEMPLATE_NOT_FOUND')
      throw new BrokerError(error.code, `The template does not exist. ${error.message}`);
    throw withCode(withoutPointers(error));
  }
};

/** Removes JSON pointers from a message: the scheduler does not know muster's inputs. */
const withoutPointers = (error: BrokerError): BrokerError =>
  new BrokerError(error.code, error.message.replaceAll(/(^|; )\/[a-z_]+: /g, '$1'), error.details, { cause: error });

function answer({ strategy, dialect }: ScriptCall, detail: RequestDetail): unknown {
  const { request } = detail;
  // The id does not come from the strategy: without it the scheduler could not track the machines.
  const { message = request.message, status = request.status } = strategy.requested.render(detail) as Readonly<
    Record<string, unknown>
  >;
  return { message, requestId: request.request_id, ...(dialect === 'lsf' ? { status } : {}) };
}

function orderIn(input: unknown): { readonly template_id: string; readonly machine_count: number } {
  if (!isObject(input)) throw invalidInput();
  if (input['machines'] !== undefined) throw scriptRefusal('Input parameter machines is not supported.');
  // The native format has the fields of the template at the top level.
  const template = input['template'];
  const { templateId, machineCount } = isObject(template) ? template : {};
  if (typeof templateId !== 'string' || templateId === '')
    throw new BrokerError('TEMPLATE_INVALID', 'Invalid template.');
  const count = typeof machineCount === 'string' && /^\d+$/.test(machineCount) ? Number(machineCount) : machineCount;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1)
    throw scriptRefusal('Invalid instances number.');
  return { template_id: templateId, machine_count: count };
}

/** LSF names the account of the machines, which becomes a tag, and passes variables to the start script of the job. */
function additions({ input, dialect }: ScriptCall) {
  const { rc_account, userData } = input as Readonly<Record<string, unknown>>;
  const account = typeof rc_account === 'string' && rc_account !== '' ? rc_account : undefined;
  const tags = account === undefined && dialect !== 'lsf' ? undefined : { RC_ACCOUNT: account ?? 'default' };
  const given = isObject(userData) ? userData : {};
  const variables = { ...given, rc_account: account ?? 'default' };
  const adapt = (template: Template) => exportUserData(template, variables);
  const data = {
    ...(account === undefined ? {} : { rc_account: account }),
    ...(isObject(userData) ? { userData } : {}),
  };
  return {
    ...(dialect === 'lsf' ? { adapt } : {}),
    ...(tags ? { tags } : {}),
    ...(Object.keys(data).length > 0 ? { additional_data: data } : {}),
  };
}

/** Appends the error code of the cloud to the message, where schedulers look for it. */
function withCode(error: BrokerError): BrokerError {
  const code = cloudCodeIn(error.message);
  if (code === undefined) return error;
  const text = error.message.replace(/[.;\s]*$/, '').replace(new RegExp(`[.\\s]*Error Code: ${code}$`), '');
  return new BrokerError(error.code, `${text}. Error Code: ${code}`, error.details, { cause: error });
}

/** The place in LSF's start script for the variables of a request. */
const placeholder = '%EXPORT_USER_DATA%';

/**
 * Returns the template with the variables as shell commands in place of the placeholder in its user data; the same
 * template when it has none.
 */
function exportUserData(template: Template, variables: Readonly<Record<string, unknown>>): Template {
  if (typeof template.user_data !== 'string') return template;
  const script = Buffer.from(template.user_data, 'base64').toString();
  if (!script.includes(placeholder)) return template;
  const commands = Object.entries(variables)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}='${textOf(value).replaceAll("'", "'\\''")}';`);
  return {
    ...template,
    user_data: Buffer.from(script.replaceAll(placeholder, () => commands.join(' '))).toString('base64'),
  };
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
