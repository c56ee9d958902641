import { BrokerError, isBrokerError } from '../../../core/contract/errors.ts';
import { requestMachines as open } from '../../../core/operations/requests/request-machines.ts';
import type { Template } from '../../../core/model/template.ts';
import type { RequestDetail } from '../../../core/contract/scheduler.ts';
import { cloudCodeIn } from '../grade.ts';
import { isObject } from '../../../core/schema/is-object.ts';
import { invalidInput, scriptRefusal, type Script, type ScriptCall } from '../client/script.ts';

/** Asks for machines. Answers when the request is stored; what the cloud says to it stands in its status. */
export const requestMachines: Script = async (call) => {
  const { template_id, machine_count } = wanted(call.input);
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
    throw withCode(inTheirWords(error));
  }
};

/** Our inputs are not theirs: a place in our call says nothing to them. */
const inTheirWords = (error: BrokerError): BrokerError =>
  new BrokerError(error.code, error.message.replaceAll(/(^|; )\/[a-z_]+: /g, '$1'), error.details, { cause: error });

function answer({ strategy, dialect }: ScriptCall, detail: RequestDetail): unknown {
  const { request } = detail;
  // The id is never left to the words: without it the machines could not be followed.
  const { message = request.message, status = request.status } = strategy.requested.render(detail) as Readonly<
    Record<string, unknown>
  >;
  return { message, requestId: request.request_id, ...(dialect === 'lsf' ? { status } : {}) };
}

function wanted(input: unknown): { readonly template_id: string; readonly machine_count: number } {
  if (!isObject(input)) throw invalidInput();
  if (input['machines'] !== undefined) throw scriptRefusal('Input parameter machines is not supported.');
  // Our own form has the template's fields at the top.
  const template = input['template'];
  const { templateId, machineCount } = isObject(template) ? template : {};
  if (typeof templateId !== 'string' || templateId === '')
    throw new BrokerError('TEMPLATE_INVALID', 'Invalid template.');
  const count = typeof machineCount === 'string' && /^\d+$/.test(machineCount) ? Number(machineCount) : machineCount;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1)
    throw scriptRefusal('Invalid instances number.');
  return { template_id: templateId, machine_count: count };
}

/** LSF names whom machines are for, as a tag of theirs, and hands values down to the job's start. */
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

/** A refusal that rests on an error of the cloud ends in its code, by which schedulers decide. */
function withCode(error: BrokerError): BrokerError {
  const code = cloudCodeIn(error.message);
  if (code === undefined) return error;
  const said = error.message.replace(/[.;\s]*$/, '').replace(new RegExp(`[.\\s]*Error Code: ${code}$`), '');
  return new BrokerError(error.code, `${said}. Error Code: ${code}`, error.details, { cause: error });
}

/** Where LSF's start script wants the variables of a request. */
const mark = '%EXPORT_USER_DATA%';

/**
 * A template whose user data has the variables in the place of the mark, as commands of a shell; the same where it has
 * none.
 */
function exportUserData(template: Template, variables: Readonly<Record<string, unknown>>): Template {
  if (typeof template.user_data !== 'string') return template;
  const script = Buffer.from(template.user_data, 'base64').toString();
  if (!script.includes(mark)) return template;
  const commands = Object.entries(variables)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}='${textOf(value).replaceAll("'", "'\\''")}';`);
  return { ...template, user_data: Buffer.from(script.replaceAll(mark, () => commands.join(' '))).toString('base64') };
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
