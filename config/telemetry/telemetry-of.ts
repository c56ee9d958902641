import type { Finding } from '../../core/contract/findings.ts';
import { percentDecoded } from '../../core/schema/redact.ts';
import { hint } from '../../core/schema/spelling.ts';
import type { Environment } from '../sources/environment.ts';
import type { SamplerSettings, TelemetryProtocol, TelemetrySettings } from './telemetry-settings.ts';

const otel = 'OTEL_';
const protocols: readonly TelemetryProtocol[] = ['http/protobuf', 'http/json'];

/** The samplers of the specification, with the ratio that they imply. */
const samplers: Readonly<Record<string, Omit<SamplerSettings, 'ratio'> & { readonly ratio?: number }>> = {
  always_on: { parent_based: false, ratio: 1 },
  always_off: { parent_based: false, ratio: 0 },
  traceidratio: { parent_based: false },
  parentbased_always_on: { parent_based: true, ratio: 1 },
  parentbased_always_off: { parent_based: true, ratio: 0 },
  parentbased_traceidratio: { parent_based: true },
};

/**
 * Reads the standard variables of OpenTelemetry. Undefined: no signal is turned on. As its specification asks, a
 * variable that cannot be honored is a warning and never stops a start.
 */
export function telemetryOf(environment: Environment, findings: Finding[]): TelemetrySettings | undefined {
  const variables: Record<string, string> = {};
  // An empty variable counts as unset.
  for (const [name, value] of Object.entries(environment))
    if (name.startsWith(otel) && value !== undefined && value.trim() !== '') variables[name] = value.trim();
  if (variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined;
  const read = (signal: Signal): TelemetryProtocol | undefined => protocolOf(signal, variables, findings);
  const [traces, metrics] = [read('TRACES'), read('METRICS')];
  if (!traces && !metrics) return undefined;
  return {
    ...(traces ? { traces: { protocol: traces, sampler: samplerOf(variables, findings) } } : {}),
    ...(metrics ? { metrics: { protocol: metrics } } : {}),
    variables,
  };
}

type Signal = 'TRACES' | 'METRICS';
type Variables = Readonly<Record<string, string>>;

/** The protocol of a signal; undefined when it is off. */
function protocolOf(signal: Signal, variables: Variables, findings: Finding[]): TelemetryProtocol | undefined {
  const named = (rest: string): string | undefined =>
    [`OTEL_EXPORTER_OTLP_${signal}_${rest}`, `OTEL_EXPORTER_OTLP_${rest}`].find(
      (name) => variables[name] !== undefined,
    );
  const endpoint = named('ENDPOINT');
  const exporter = `OTEL_${signal}_EXPORTER`;
  const chosen = variables[exporter]?.toLowerCase() ?? 'otlp';
  if (endpoint === undefined || chosen === 'none') return undefined;
  const what = signal.toLowerCase();
  if (chosen !== 'otlp') {
    findings.push(warning(exporter, `'${chosen}' is not known; muster exports by otlp, or none. The ${what} are off`));
    return undefined;
  }
  const url = variables[endpoint] ?? '';
  if (!isHttpUrl(url)) {
    findings.push(warning(endpoint, `must be a URL like http://127.0.0.1:4318. The ${what} are off`));
    return undefined;
  }
  const naming = named('PROTOCOL');
  const protocol = naming === undefined ? 'http/protobuf' : variables[naming];
  const known = protocols.find((each) => each === protocol);
  if (known || naming === undefined) return known;
  findings.push(
    warning(naming, `'${protocol}' is not supported; muster speaks ${protocols.join(' and ')}. The ${what} are off`),
  );
  return undefined;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function samplerOf(variables: Variables, findings: Finding[]): SamplerSettings {
  const name = variables['OTEL_TRACES_SAMPLER']?.toLowerCase() ?? 'parentbased_always_on';
  const sampler = Object.hasOwn(samplers, name) ? samplers[name] : undefined;
  if (!sampler) {
    const near = hint(name, Object.keys(samplers));
    findings.push(
      warning('OTEL_TRACES_SAMPLER', `parentbased_always_on is used, because '${name}' is not known${near}`),
    );
    return { parent_based: true, ratio: 1 };
  }
  const { parent_based, ratio } = sampler;
  if (ratio !== undefined) return { parent_based, ratio };
  const argument = Number(variables['OTEL_TRACES_SAMPLER_ARG'] ?? 1);
  if (argument >= 0 && argument <= 1) return { parent_based, ratio: argument };
  findings.push(warning('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1; 1 is used'));
  return { parent_based, ratio: 1 };
}

const warning = (variable: string, message: string): Finding => ({
  level: 'warning',
  path: '',
  file: `environment variable ${variable}`,
  message,
});

/** Every text of the variables that is secret: the values of headers, and credentials in URLs. */
export function telemetrySecrets({ variables }: TelemetrySettings): readonly string[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (name.endsWith('_HEADERS')) return value.split(',').flatMap(headerTexts);
    if (!name.endsWith('_ENDPOINT') || !URL.canParse(value)) return [];
    const { username, password } = new URL(value);
    return [username, password].filter((text) => text !== '');
  });
}

/** The value of a header as written, decoded, and without the scheme of its authentication. */
function headerTexts(pair: string): readonly string[] {
  const value = pair.slice(pair.indexOf('=') + 1).trim();
  const decoded = percentDecoded(value);
  return [...new Set([value, decoded, decoded.replace(/^\w+\s+/, '')])].filter((text) => text !== '');
}
