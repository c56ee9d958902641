import { join, relative, resolve } from 'node:path';
import { findPlugin, isBuiltIn, isPluginPath } from '../../config/plugins/find-plugin.ts';
import { loadPlugins } from '../../config/plugins/load-plugins.ts';
import { defaultPlugins } from '../../config/setting-defaults.ts';
import { configurationIn } from '../../config/sources/search-places.ts';
import { BrokerError } from '../../core/contract/errors.ts';
import type { AccountContents } from '../../core/contract/provider/account-contents.ts';
import type { SetupChoice } from '../../core/contract/provider/provider-setup.ts';
import { TemplateReview } from '../../core/templates/review.ts';
import { askChoice, type TemplateAnswers } from './choose.ts';
import { configurationName, configurationText, templatesName, templatesText } from './file-texts.ts';
import { askInstance, type InstanceAnswers, type SetupType } from './instance.ts';
import { lookAround } from './look-around.ts';
import type { Questions } from './questions.ts';
import { verify } from './verify.ts';
import { refuseExisting, writeAll } from './write-pair.ts';

export interface InitOptions extends InstanceAnswers, TemplateAnswers {
  /** The directory of the files. It is created when it does not exist. */
  readonly directory: string;
  /** The provider type. Default: the only one that can be set up; else it is asked for. */
  readonly provider?: string;
  /** Plugins beside the built-in ones: packages, found from the directory of the files, or paths. */
  readonly plugins?: readonly string[];
  /** Replaces existing files. */
  readonly force: boolean;
  readonly questions: Questions;
  readonly env: NodeJS.ProcessEnv;
  say(text: string): void;
}

/** What was written. */
export interface Initialized {
  readonly files: readonly string[];
  readonly choice: SetupChoice;
  readonly template_ids: readonly string[];
}

/**
 * Asks for a provider, looks at what its account contains, and writes a configuration and templates that pass the
 * checks: both files or none. Changes nothing at the provider. Throws a BrokerError with the reason, and
 * QuestionsEnded.
 */
export async function init(options: InitOptions): Promise<Initialized> {
  const { questions, env, say } = options;
  const directory = resolve(options.directory);
  if (!options.force) refuseOthers(directory);
  // A path leads to the same file from wherever the configuration is read.
  const added = (options.plugins ?? []).map((name) => (isPluginPath(name) ? resolve(name) : name));
  const names = [...defaultPlugins, ...added.filter((name) => !defaultPlugins.includes(name))];
  const plugins = await loadPlugins(names, { cwd: directory });
  const types = plugins.flatMap((plugin) => plugin.providers ?? []);
  const type = await chooseType(types, options);
  const review = new TemplateReview(
    types,
    plugins.flatMap((plugin) => plugin.providerApis ?? []),
  );
  const { entry, instance } = await askInstance(type, options, { questions, env, review, say });
  say(`Looking at what '${entry.name}' has ...\n`);
  const contents = await lookAround(type, instance, plugins, dataDirectory(directory, env));
  for (const { list, message } of contents.incomplete) say(`The ${words(list)} are not complete. ${message}\n`);
  const choice = await askChoice(contents, options, questions, `at '${entry.name}'`);
  for (const line of leftOut(contents, choice)) say(`${line}\n`);
  const templates = type.setup.templates(choice);
  const files = [
    { name: templatesName, text: await templatesText(directory, templates) },
    {
      name: configurationName,
      text: await configurationText(directory, entry, names.length > defaultPlugins.length ? names : undefined),
    },
  ];
  const found = names.map((name) => (isBuiltIn(name) ? name : (findPlugin(name, directory).file ?? name)));
  await verify(files, found, env);
  await writeAll(directory, files, options.force);
  return {
    files: files.map(({ name }) => relative(process.cwd(), join(directory, name)) || name),
    choice,
    template_ids: templates.map(({ template_id }) => template_id),
  };
}

/** Another configuration or template file in the directory would count beside the new ones, or before them. */
function refuseOthers(directory: string): void {
  refuseExisting(directory, [
    configurationName,
    ...['yaml', 'yml', 'json'].map((extension) => `templates.${extension}`),
  ]);
  const other = configurationIn(directory);
  if (other !== undefined)
    throw new BrokerError(
      'ALREADY_EXISTS',
      `${other} is a configuration already. Choose another directory with --directory, or write beside it with --force.`,
    );
}

async function chooseType(
  types: readonly { readonly type: string; readonly aliases?: readonly string[] }[],
  { provider, questions }: InitOptions,
): Promise<SetupType> {
  const able = types.filter((each): each is SetupType => 'setup' in each && 'discover' in each);
  const names = able.map(({ type }) => type);
  if (provider !== undefined) {
    const named = able.find(({ type, aliases = [] }) => type === provider || aliases.includes(provider));
    if (named) return named;
    throw new BrokerError(
      'INVALID_REQUEST',
      `No loaded plugin can set up the provider type '${provider}'. There are: ${names.join(', ')}. Name the plugin of another type with --plugins.`,
    );
  }
  const [first] = able;
  if (!first) throw new BrokerError('INVALID_REQUEST', 'No loaded plugin can set up a provider.');
  if (able.length === 1) return first;
  return questions.choose(
    'Provider:',
    able.map((value) => ({ value, name: value.type })),
    first,
  );
}

/** The data directory that a broker with the new configuration uses. */
const dataDirectory = (directory: string, env: NodeJS.ProcessEnv): string =>
  env['MUSTER_DATA_DIR'] ? resolve(env['MUSTER_DATA_DIR']) : join(directory, 'data');

const words = (list: string): string => list.replaceAll('_', ' ');

/** The subnets of the chosen network that the templates do not name, with the reason. */
function leftOut({ subnets }: AccountContents, { subnet_ids }: SetupChoice): readonly string[] {
  const network = subnets.find(({ id }) => id === subnet_ids[0])?.network_id;
  return subnets
    .filter(({ id, network_id }) => network_id === network && !subnet_ids.includes(id))
    .map(({ id, zone, free_addresses }) =>
      free_addresses === 0
        ? `The templates leave out ${id}: it has no free address.`
        : `The templates leave out ${id}: another subnet of ${zone} has more free addresses.`,
    );
}
