import { globSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPlugins } from '../../config/setting-defaults.ts';
import { prefix, prefixOf } from '../../config/sources/environment.ts';
import { ConfigurationFile } from '../../config/schema.ts';
import { telemetryVariables } from '../../config/telemetry/telemetry-variables.ts';
import type { Plugin } from '../../core/index.ts';
import { commonTemplateFields } from '../../core/model/template.ts';
import { table } from '../markdown/schema-text.ts';
import { settingRows } from './configuration/setting-rows.ts';
import { generated, madeFile, root, type Page } from './page.ts';

type Json = Readonly<Record<string, any>>;

/** Every setting and every template field, from the schemas of the configuration and of the built-in plugins. */
export const configurationPage: Page = {
  name: 'configuration',
  make: async () => {
    const plugins = await builtInPlugins();
    return [madeFile('docs/reference/configuration.md', () => pageOf(plugins))];
  },
};

/** Every built-in plugin, whether it is loaded by default or not. */
export async function builtInPlugins(): Promise<readonly Plugin[]> {
  const folders = globSync('plugins/*/index.ts', { cwd: root }).toSorted();
  const loaded = await Promise.all(
    folders.map(async (file) => (await import(join(root, file))) as { default?: Plugin }),
  );
  const all = loaded.flatMap((each) => each.default ?? []);
  // Those that are loaded by default first, in that order.
  const place = ({ name }: Plugin) =>
    defaultPlugins.includes(name) ? defaultPlugins.indexOf(name) : defaultPlugins.length;
  return all.toSorted((a, b) => place(a) - place(b));
}

function pageOf(plugins: readonly Plugin[]): string {
  const storages = plugins.flatMap((plugin) => (plugin.storages ?? []).map((each) => ({ plugin, each })));
  const types = plugins.flatMap((plugin) => plugin.providers ?? []);
  const apis = plugins.flatMap((plugin) => plugin.providerApis ?? []);
  const parts = [
    `# Configuration: every setting\n\n${generated('configuration', 'the schemas')}\n\n[The guide](../guides/configuration.md) says which file is read and which source takes precedence. Every name has a camelCase spelling too. An environment variable overrides the file; objects and lists also take JSON text, and lists take text with commas.\n\n`,
    '## The file\n\n',
    `\`${prefix}\` and the name of a key replaces the whole key, as JSON: \`${prefix}PROVIDERS\`. \`${prefix}CONFIG\` names the file, and \`${prefix}DATA_DIR\` replaces \`./data\`.\n\n`,
    settings(fileRows()),
    ...storages.map(({ plugin, each }) => storagePart(plugin, each.type, each.options as Json)),
    ...types.map((each) => typePart(each.type, each.aliases ?? [], each.config as Json)),
    telemetryPart(),
    '## Templates\n\nA template may have the fields below, the fields of its provider type and the fields of its API. Unknown fields are kept as written. [The guide](../guides/templates.md) says where files are found and how they override each other.\n\n',
    '### Every template\n\n',
    fields({ properties: commonTemplateFields, required: ['template_id'] }),
    ...types.map((each) => (each.fields ? `### Templates of \`${each.type}\`\n\n${fields(each.fields as Json)}` : '')),
    ...apis.map((each) =>
      Object.keys(each.fields?.properties ?? {}).length > 0
        ? `### Templates of \`${each.type}\`, API \`${each.name}\`\n\n${fields(each.fields as Json)}`
        : '',
    ),
  ];
  return parts.join('').replace(/\n+$/, '\n');
}

/** The variables of OpenTelemetry, which no file sets. */
const telemetryPart = (): string =>
  `## OpenTelemetry\n\nThe export of [traces and metrics](../guides/tracing.md) follows the standard variables of OpenTelemetry; no file sets them. \`…\` stands for \`TRACES\` or \`METRICS\`.\n\n${table(
    ['Variable', 'Default', 'Meaning'],
    telemetryVariables.map(({ name, standard, meaning }) => [
      name
        .split(', ')
        .map((each) => `\`${each}\``)
        .join(', '),
      standard,
      meaning,
    ]),
  )}`;

/** The keys of the file. Plugins declare the other fields of `storage` and `config`. */
function fileRows(): readonly (readonly string[])[] {
  const { plugins, scheduler, providers, ...sections } = ConfigurationFile.properties as Record<string, Json>;
  const { storage, ...closed } = sections;
  return [
    ...settingRows({ properties: { plugins, scheduler }, required: [] }, '', prefix),
    ...settingRows({ properties: { storage }, required: [] }, '', prefix),
    ...settingRows({ properties: closed, required: [] }, '', prefix),
    ...settingRows({ properties: { providers }, required: [] }, '', prefix),
  ];
}

const settings = (rows: readonly (readonly string[])[]): string =>
  table(['Key', 'Type', 'Default', 'Variable', 'Meaning'], rows);

function storagePart(plugin: Plugin, type: string, options: Json): string {
  const loaded = defaultPlugins.includes(plugin.name)
    ? ''
    : ` Contributed by the plugin \`${plugin.name}\`, which \`plugins\` must name.`;
  const rows = settingRows(options, 'storage.', prefixOf('storage'));
  return `## Storage \`${type}\`\n\n\`storage: { type: ${type} }\`.${loaded}${rows.length === 0 ? ' It has no options.' : ''}\n\n${settings(rows)}`;
}

function typePart(type: string, aliases: readonly string[], config: Json): string {
  const also = aliases.length === 0 ? '' : `, or ${aliases.map((each) => `\`${each}\``).join(', ')}`;
  const open = config['additionalProperties'] === true ? ' Unknown fields are kept, with a warning.' : '';
  return `## Provider type \`${type}\`\n\n\`config\` of an entry of \`providers\` with \`type: ${type}\`${also}. A variable sets a field for every instance of the type.${open}\n\n${settings(settingRows(config, 'config.', prefixOf(type)))}`;
}

/** Fields of templates: no variable sets one, and several have other spellings. */
const fields = (schema: Json): string =>
  table(
    ['Field', 'Also', 'Type', 'Default', 'Meaning'],
    settingRows(schema, '').map(([name = '', type = '', fallback = '', aliases = '', meaning = '']) => [
      name,
      aliases,
      type,
      fallback,
      meaning,
    ]),
  );
