import type { TObject } from 'typebox';
import { checkProviders } from '../../config/checks/check-providers.ts';
import { BrokerError } from '../../core/contract/errors.ts';
import { sentence, sentences, type Finding } from '../../core/contract/findings.ts';
import type { ProviderType } from '../../core/contract/provider/provider-type.ts';
import type { ProviderInstance } from '../../core/model/provider-instance.ts';
import type { TemplateReview } from '../../core/templates/review.ts';
import type { NewInstance } from './file-texts.ts';
import type { Questions } from './questions.ts';

/** A provider type that can be set up. */
export type SetupType = ProviderType<any, any> & Required<Pick<ProviderType<any, any>, 'setup' | 'discover'>>;

/** What the command line says of the instance. */
export interface InstanceAnswers {
  readonly name?: string;
  /** Fields of the configuration that need not be asked for. */
  readonly config: Readonly<Record<string, string>>;
  readonly simulated: boolean;
  readonly endpoint_url?: string;
}

/** The parts of this call that answers come from. */
export interface Asking {
  readonly questions: Questions;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly review: TemplateReview;
  say(text: string): void;
}

/** Asks for what the configuration of an instance needs, and checks it. */
export async function askInstance(
  type: SetupType,
  answers: InstanceAnswers,
  asking: Asking,
): Promise<{ readonly entry: NewInstance; readonly instance: ProviderInstance }> {
  const { setup } = type;
  const config: Record<string, unknown> = { ...fixedConfig(type, answers) };
  for (const field of answers.simulated ? (setup.simulated?.asks ?? []) : setup.asks) {
    const given = answers.config[field];
    const value = given ?? (await askField(type, field, asking));
    if (value === '') continue;
    config[field] = value;
    const wrong = findingsOf(type, config, asking).filter(({ path }) => path === `/config/${field}`);
    if (wrong.length === 0) continue;
    throw new BrokerError('INVALID_REQUEST', `--${field}: ${wrong.map(({ message }) => message).join('; ')}`);
  }
  const unasked = Object.keys(answers.config).filter((field) => config[field] === undefined);
  if (unasked.length > 0)
    throw new BrokerError('INVALID_REQUEST', `--${unasked.join(', --')} does not apply to this provider.`);
  const first = setup.asks.map((field) => config[field]).find((value) => typeof value === 'string');
  const name = answers.name ?? (answers.simulated ? 'simulated' : String(first ?? type.type));
  const entry = { name, type: type.type, config };
  const { providers, findings } = checkProviders([entry], [type], asking.review);
  const errors = findings.filter(({ level }) => level === 'error');
  const [instance] = providers;
  if (errors.length > 0 || !instance) throw new BrokerError('INVALID_REQUEST', sentences(errors));
  for (const each of findings) asking.say(`${sentence(each)}\n`);
  return { entry, instance };
}

function fixedConfig({ type, setup }: SetupType, { simulated, endpoint_url }: InstanceAnswers): object {
  if (simulated && endpoint_url !== undefined)
    throw new BrokerError('INVALID_REQUEST', 'Give either --simulated or --endpoint-url.');
  if (simulated) {
    if (setup.simulated) return setup.simulated.config;
    throw new BrokerError('INVALID_REQUEST', `The provider type '${type}' has no simulated cloud.`);
  }
  if (endpoint_url === undefined) return {};
  if (setup.endpoint !== undefined) return { [setup.endpoint]: endpoint_url };
  throw new BrokerError('INVALID_REQUEST', `The provider type '${type}' has no endpoint that can be chosen.`);
}

const findingsOf = (type: SetupType, config: object, { review }: Asking): readonly Finding[] =>
  checkProviders([{ name: 'new', type: type.type, config }], [type], review).findings.map((each) => ({
    ...each,
    path: each.path.replace(/^\/providers\/0/, ''),
  }));

/** Asks for one field; empty: it keeps the default of its schema. */
function askField({ config, setup }: SetupType, field: string, { questions, env }: Asking): Promise<string> {
  const schema = (config as TObject).properties[field] as { description?: string; default?: unknown } | undefined;
  const variable = setup.environment?.[field]?.map((name) => env[name]).find(Boolean);
  const standard = typeof schema?.default === 'string' ? schema.default : '';
  const about = (schema?.description ?? field).replace(/\.$/, '');
  return questions.text(`${about}${standard === '' ? ' (empty: none)' : ''}:`, variable ?? standard);
}
